// The server's routes as functions. Nothing here decides anything; the shapes come from the server's own document.
import type {
  Account,
  AccountChange,
  AuditPage,
  CallInfo,
  Calls,
  Card,
  CreatedToken,
  Decision,
  Diagnosis,
  Invitation,
  NewToken,
  NewUser,
  PasswordChange,
  PasswordLink,
  RecoverInput,
  RecoveryResult,
  RedeemPasswordLink,
  Role,
  RoleChange,
  Roles,
  Session,
  Settled,
  Setup,
  SignIn,
  StorageReport,
  Tokens,
  User,
  UserChange,
  Users,
  Waiting,
} from "../generated/api";
import type { Client } from "./client";

export type Api = ReturnType<typeof createApi>;

export function createApi(client: Client) {
  return {
    session: () => client.get<Session>("/session"),
    /** Fails with a sentence about the cookie when the browser did not keep it. */
    confirmSignedIn: () => client.get<Session>("/session?expect=signed-in"),
    signIn: (input: SignIn) => client.send<Session>("POST", "/session", input),
    signOut: () => client.send<void>("DELETE", "/session"),
    setUp: (input: Setup) => client.send<Session>("POST", "/setup", input),
    redeemPasswordLink: (input: RedeemPasswordLink) => client.send<Session>("POST", "/password-links/redeem", input),

    account: () => client.get<Account>("/account"),
    changeAccount: (input: AccountChange) => client.send<Account>("PATCH", "/account", input),
    changePassword: (input: PasswordChange) => client.send<void>("POST", "/account/password", input),
    endSession: (id: string) => client.send<void>("DELETE", `/account/sessions/${encodeURIComponent(id)}`),

    users: () => client.get<Users>("/users"),
    inviteUser: (input: NewUser) => client.send<Invitation>("POST", "/users", input),
    changeUser: (id: string, input: UserChange) =>
      client.send<User>("PATCH", `/users/${encodeURIComponent(id)}`, input),
    passwordLink: (id: string) => client.send<PasswordLink>("POST", `/users/${encodeURIComponent(id)}/password-link`),
    removeUser: (id: string) => client.send<void>("DELETE", `/users/${encodeURIComponent(id)}`),

    roles: () => client.get<Roles>("/roles"),
    saveRole: (key: string, input: RoleChange) => client.send<Role>("PUT", `/roles/${encodeURIComponent(key)}`, input),
    deleteRole: (key: string) => client.send<void>("DELETE", `/roles/${encodeURIComponent(key)}`),

    tokens: () => client.get<Tokens>("/tokens"),
    createToken: (input: NewToken) => client.send<CreatedToken>("POST", "/tokens", input),
    revokeToken: (id: string) => client.send<void>("DELETE", `/tokens/${encodeURIComponent(id)}`),

    approvals: () => client.get<Waiting>("/approvals"),
    /** A card, or a single call, whether it is decided or not. */
    approval: (id: string) => client.get<Card>(`/approvals/${encodeURIComponent(id)}`),
    decide: (id: string, input: Decision) => client.send<Card>("POST", `/approvals/${encodeURIComponent(id)}`, input),
    calls: (query: { state?: string; limit?: number; before?: string }) =>
      client.get<Calls>(`/calls?${queryOf(query)}`),
    call: (id: string) => client.get<CallInfo>(`/calls/${encodeURIComponent(id)}`),
    settle: (id: string, input: Settled) => client.send<CallInfo>("POST", `/calls/${encodeURIComponent(id)}`, input),

    diagnosis: () => client.get<Diagnosis>("/doctor"),
    repairFiles: () => client.send<StorageReport>("POST", "/doctor/repair", {}),
    recover: (input: RecoverInput) => client.send<RecoveryResult>("POST", "/doctor/recover", input),

    audit: (limit: number, before?: string) =>
      client.get<AuditPage>(
        `/audit?limit=${limit}${before === undefined ? "" : `&before=${encodeURIComponent(before)}`}`,
      ),
  };
}

function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.toString();
}
