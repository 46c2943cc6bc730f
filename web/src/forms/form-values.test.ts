// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { readForm } from "./form-values";

function form(html: string): HTMLFormElement {
  const element = document.createElement("form");
  element.innerHTML = html;
  return element;
}

test("what is missing or malformed is said by field", () => {
  const { errors } = readForm(
    form(
      '<input name="name" required value="  "><input name="email" type="email" required value="nope"><input name="note">',
    ),
  );
  expect(errors).toEqual({
    name: "This field is required.",
    email: "Enter an email address such as name@example.com.",
  });
});

test("a form's own check applies where the browser has nothing to say", () => {
  const { errors } = readForm(form('<input name="password" required value="abc">'), (name, value) =>
    name === "password" && value.length < 12 ? "Too short." : undefined,
  );
  expect(errors).toEqual({ password: "Too short." });
});

test("texts are trimmed, passwords are not, ticked boxes make a list", () => {
  const { values } = readForm(
    form(
      '<input name="name" value=" Ana "><input name="password" autocomplete="new-password" value=" keep ">' +
        '<input type="checkbox" name="capabilities" value="a" checked><input type="checkbox" name="capabilities" value="b">' +
        '<input type="checkbox" name="capabilities" value="c" checked>',
    ),
  );
  expect([values.text("name"), values.text("password"), values.text("absent"), values.list("capabilities")]).toEqual([
    "Ana",
    " keep ",
    "",
    ["a", "c"],
  ]);
});
