// Sections to insert, whether or not the server has a design library.

/** For a server without a design library; one that has it is asked itself. */
const SECTIONS = [
  {
    key: "hero-plain",
    family: "hero",
    name: "Plain hero",
    description: "A heading and a line.",
    html: '<style>.hero { padding: 9rem; } .plain-hero { padding: 4rem; }</style><section class="plain-hero"><h2>Say what you do</h2><p>In one line.</p></section>',
  },
  {
    key: "pricing-three",
    family: "pricing",
    name: "Three prices",
    description: "Three offers side by side.",
    html: '<section class="prices"><h2>Prices</h2><p>From 3 euros.</p></section>',
  },
];

/** Asks the server for its sections, and gives those above where it has none. */
export function offerSections(context) {
  return context.route("**/admin/api/design/sections", async (route) => {
    const response = await route.fetch();
    await (response.ok() ? route.fulfill({ response }) : route.fulfill({ json: { sections: SECTIONS } }));
  });
}
