// The server's routes as functions. Nothing here decides anything; the shapes come from the server's own document.
import type {
  AccountChange,
  Decision,
  EndEverything,
  FirstCode,
  NewPasskey,
  NewToken,
  NewUser,
  PasskeyProof,
  PasswordChange,
  Proof,
  RecoverInput,
  RedeemPasswordLink,
  RoleChange,
  SecondStepCode,
  Settled,
  Setup,
  SignIn,
  UserChange,
} from "../generated/api";
import type { Client } from "./client";

export type Api = ReturnType<typeof createApi>;

export function createApi(client: Client) {
  return {
    session: () => client.get("/admin/api/session"),
    /** Fails with a sentence about the cookie when the browser did not keep it. */
    confirmSignedIn: () => client.get("/admin/api/session", { query: { expect: "signed-in" } }),
    signIn: (body: SignIn) => client.post("/admin/api/session", { body }),
    giveCode: (body: SecondStepCode) => client.post("/admin/api/session/second-step", { body }),
    startPasskeyProof: () => client.post("/admin/api/session/passkey/start", { body: {} }),
    signInWithPasskey: (body: PasskeyProof) => client.post("/admin/api/session/passkey", { body }),
    proofMethods: () => client.get("/admin/api/session/confirm"),
    prove: (body: Proof) => client.post("/admin/api/session/confirm", { body }),
    signOut: () => client.delete("/admin/api/session"),
    setUp: (body: Setup) => client.post("/admin/api/setup", { body }),
    redeemPasswordLink: (body: RedeemPasswordLink) => client.post("/admin/api/password-links/redeem", { body }),

    account: () => client.get("/admin/api/account"),
    changeAccount: (body: AccountChange) => client.patch("/admin/api/account", { body }),
    changePassword: (body: PasswordChange) => client.post("/admin/api/account/password", { body }),
    endSession: (id: string) => client.delete("/admin/api/account/sessions/{id}", { params: { id } }),

    endEverything: (body: EndEverything) => client.post("/admin/api/account/end-everything", { body }),
    deleteAccount: () => client.delete("/admin/api/account"),
    dismissNotice: (id: string) => client.delete("/admin/api/account/notices/{id}", { params: { id } }),
    startSecondFactor: () => client.post("/admin/api/account/second-factor/start", { body: {} }),
    turnOnSecondFactor: (body: FirstCode) => client.post("/admin/api/account/second-factor", { body }),
    turnOffSecondFactor: () => client.delete("/admin/api/account/second-factor"),
    replaceRecoveryCodes: () => client.post("/admin/api/account/recovery-codes", { body: {} }),
    startPasskey: () => client.post("/admin/api/account/passkeys/start", { body: {} }),
    addPasskey: (body: NewPasskey) => client.post("/admin/api/account/passkeys", { body }),
    renamePasskey: (id: string, name: string) =>
      client.patch("/admin/api/account/passkeys/{id}", { params: { id }, body: { name } }),
    removePasskey: (id: string) => client.delete("/admin/api/account/passkeys/{id}", { params: { id } }),

    users: () => client.get("/admin/api/users"),
    inviteUser: (body: NewUser) => client.post("/admin/api/users", { body }),
    changeUser: (id: string, body: UserChange) => client.patch("/admin/api/users/{id}", { params: { id }, body }),
    passwordLink: (id: string) => client.post("/admin/api/users/{id}/password-link", { params: { id } }),
    removeUser: (id: string) => client.delete("/admin/api/users/{id}", { params: { id } }),
    endSessionsOf: (id: string) => client.delete("/admin/api/users/{id}/sessions", { params: { id } }),
    turnOffSecondFactorOf: (id: string) => client.delete("/admin/api/users/{id}/second-factor", { params: { id } }),
    deleteAccountOf: (id: string) => client.delete("/admin/api/users/{id}/account", { params: { id } }),

    roles: () => client.get("/admin/api/roles"),
    saveRole: (key: string, body: RoleChange) => client.put("/admin/api/roles/{key}", { params: { key }, body }),
    deleteRole: (key: string) => client.delete("/admin/api/roles/{key}", { params: { key } }),

    tokens: () => client.get("/admin/api/tokens"),
    createToken: (body: NewToken) => client.post("/admin/api/tokens", { body }),
    revokeToken: (id: string) => client.delete("/admin/api/tokens/{id}", { params: { id } }),

    approvals: () => client.get("/admin/api/approvals"),
    /** A card, or a single call, whether it is decided or not. */
    approval: (id: string) => client.get("/admin/api/approvals/{id}", { params: { id } }),
    decide: (id: string, body: Decision) => client.post("/admin/api/approvals/{id}", { params: { id }, body }),
    calls: (query: { state?: string; limit?: number; before?: string }) => client.get("/admin/api/calls", { query }),
    call: (id: string) => client.get("/admin/api/calls/{id}", { params: { id } }),
    settle: (id: string, body: Settled) => client.post("/admin/api/calls/{id}", { params: { id }, body }),

    diagnosis: () => client.get("/admin/api/doctor"),
    storageUse: () => client.get("/admin/api/storage"),
    repairFiles: () => client.post("/admin/api/doctor/repair", { body: {} }),
    recover: (body: RecoverInput) => client.post("/admin/api/doctor/recover", { body }),

    audit: (limit: number, before?: string) => client.get("/admin/api/audit", { query: { limit, before } }),
  };
}
