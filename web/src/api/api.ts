// The server's routes as functions. Nothing here decides anything; the shapes come from the server's own document.
import type {
  Account,
  AccountChange,
  AuditPage,
  CreatedToken,
  Invitation,
  NewToken,
  NewUser,
  PasswordChange,
  PasswordLink,
  RedeemPasswordLink,
  Role,
  RoleChange,
  Roles,
  Session,
  Setup,
  SignIn,
  Tokens,
  User,
  UserChange,
  Users,
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

    audit: (limit: number, before?: string) =>
      client.get<AuditPage>(
        `/audit?limit=${limit}${before === undefined ? "" : `&before=${encodeURIComponent(before)}`}`,
      ),
  };
}
