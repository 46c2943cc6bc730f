// The sections of the design library on pages, and what tests do to them.

/** Makes the first account without the pages of the administration; the page is then signed in. */
export async function signUp(page, { address, setupLink }) {
  const data = { token: setupLink.split("token=")[1], email: "ada@example.com", password: "correct horse battery" };
  const answer = await page.request.post(`${address}/admin/api/setup`, { data: { ...data, siteName: "Oak & Ember" } });
  if (!answer.ok()) throw new Error(await answer.text());
}

/** Every section with its family and its HTML, as the insert panel gets them. */
export async function readSections(page, { address }) {
  const answer = await page.request.get(`${address}/admin/api/design/sections`);
  if (!answer.ok()) throw new Error(await answer.text());
  return (await answer.json()).sections;
}

/** A page of sections: headers above the content, footers below. */
export function pageOf(sections) {
  const of = (family) => sections.filter((section) => section.family === family).map(({ html }) => html);
  const main = sections.filter(({ family }) => family !== "header" && family !== "footer").map(({ html }) => html);
  return [...of("header"), "<main>", ...main, "</main>", ...of("footer")].join("\n");
}

/** Runs in the page. */
export function lengthenTexts() {
  for (const element of document.querySelectorAll("[data-placeholder]")) {
    if (element.matches("img")) continue;
    element.append(` ${element.textContent} Donaudampfschifffahrtsgesellschaftskapitän`);
  }
}
