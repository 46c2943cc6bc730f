// Words for importing an HTML file as a page.
const listed = new Intl.ListFormat("en-GB", { type: "conjunction" });

export const pageImport = {
  action: "Import an HTML file…",
  title: "Import an HTML file",
  files: "HTML file",
  hint: "To include its stylesheets and pictures, choose them together with the page.",
  verb: "Import",
  oneFile: "Choose one HTML file, and with it the stylesheets and pictures that it uses.",
  summary: (file: string) => `Imported the page ${file}`,
  missing: (files: readonly string[]) =>
    `Not included: ${listed.format(files)}. To include files, choose them together with the page.`,
  external: (addresses: readonly string[]) =>
    `Loaded from other sites, and not shown in the editor: ${listed.format(addresses)}.`,
} as const;
