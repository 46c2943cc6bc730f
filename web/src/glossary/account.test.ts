import { expect, test } from "vitest";
import { noticeSentence } from "./account";

test("a notice says what happened and by whom, unless it was you", () => {
  const said = (event: string, by: "you" | "person" | "token" | "machine", byName?: string, about = "") =>
    noticeSentence({ event, by, byName, about });
  expect(said("password_changed", "you")).toBe("Your password was changed.");
  expect(said("password_changed", "machine")).toBe("Your password was changed by someone on the server.");
  expect(said("password_changed", "you", undefined, "link")).toBe("Your password was changed with a link.");
  expect(said("password_link_made", "person", "Ada")).toBe("A link for choosing a new password was created by Ada.");
  expect(said("token_created", "you", undefined, "deploy")).toBe("The API token “deploy” was created.");
  expect(said("token_created", "token", "deploy", "more")).toBe(
    "The API token “more” was created by the API token “deploy”.",
  );
  expect(said("sessions_ended", "person")).toBe("You were signed out everywhere by someone who left.");
});
