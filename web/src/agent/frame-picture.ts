// A picture of a rendered document: the document as an SVG image, drawn onto a canvas. Whatever it shows is put into it first, because
// such an image fetches nothing.

/** The longest edge that models make use of. */
export const EDGE_MAX = 1568;
const MIME = "image/png";
const SVG = "http://www.w3.org/2000/svg";
const FETCHED_MAX = 60;

export async function drawFrame(page: Document, element: Element): Promise<{ mimeType: string; data: string }> {
  const root = page.documentElement;
  const box =
    element === root
      ? { left: 0, top: 0, width: root.clientWidth, height: root.scrollHeight }
      : element.getBoundingClientRect();
  // As wide as the window, so that the same rules apply as in it; what overflows is told in the report.
  const whole = { width: page.defaultView?.innerWidth ?? root.clientWidth, height: root.scrollHeight };
  const scale = Math.min(1, EDGE_MAX / Math.max(box.width, box.height, 1));
  const image = await loaded(await asSvg(page, whole));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(box.width * scale));
  canvas.height = Math.max(1, Math.round(box.height * scale));
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws nothing");
  context.fillStyle = paperOf(page);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  context.drawImage(image, -box.left, -box.top, whole.width, whole.height);
  const address = canvas.toDataURL(MIME);
  return { mimeType: MIME, data: address.slice(address.indexOf(",") + 1) };
}

function loaded(source: string): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error("the page could not be drawn"));
    image.src = source;
  });
}

async function asSvg(page: Document, { width, height }: { width: number; height: number }): Promise<string> {
  const view = page.defaultView ?? window;
  const fetched = new Map<string, Promise<string>>();
  const inline = (address: string) => inlined(address, page.baseURI, fetched);
  const copy = page.documentElement.cloneNode(true) as HTMLElement;
  for (const gone of copy.querySelectorAll("link, style, script, noscript, meta, base")) gone.remove();
  const images = [...copy.querySelectorAll("img")];
  await Promise.all(
    images.map(async (image, position) => {
      // The one that the browser chose among several.
      const shown = page.querySelectorAll("img")[position]?.currentSrc ?? "";
      image.removeAttribute("srcset");
      if (shown !== "") image.setAttribute("src", await inline(shown));
    }),
  );
  for (const source of copy.querySelectorAll("source")) source.remove();
  const css = await styled(cssOf(page), { width: view.innerWidth, height: view.innerHeight }, inline);
  const style = page.createElement("style");
  style.textContent = css;
  copy.querySelector("head")?.append(style);
  const content = new XMLSerializer().serializeToString(copy);
  const size = view.getComputedStyle(page.documentElement).fontSize;
  const svg = `<svg xmlns="${SVG}" width="${width}" height="${height}" style="font-size:${size}"><foreignObject x="0" y="0" width="${width}" height="${height}">${content}</foreignObject></svg>`;
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

/** The page's own rules in their order; what stands beside them for the editor is left out. */
function cssOf(page: Document): string {
  return [...page.styleSheets]
    .map((sheet) => {
      try {
        const rules = [...sheet.cssRules].map(({ cssText }) => cssText).join("\n");
        return sheet.media.mediaText === "" ? rules : `@media ${sheet.media.mediaText} {\n${rules}\n}`;
      } catch {
        // A sheet from elsewhere keeps its rules to itself.
        return "";
      }
    })
    .join("\n");
}

/** In the picture the page is the whole of it: its root is no root, and its window is as high as the page. */
async function styled(
  css: string,
  window: { width: number; height: number },
  inline: (address: string) => Promise<string>,
): Promise<string> {
  const pixels = (part: number) => (_: string, value: string) => `${(Number(value) * part) / 100}px`;
  const measured = css
    .replace(/:root\b/g, "html")
    .replace(/(-?\d*\.?\d+)[dsl]?vh\b/g, pixels(window.height))
    .replace(/(-?\d*\.?\d+)[dsl]?vw\b/g, pixels(window.width));
  const addresses = [...new Set([...measured.matchAll(/url\("?([^")]+)"?\)/g)].map(([, address]) => address ?? ""))];
  const known = new Map(await Promise.all(addresses.map(async (one) => [one, await inline(one)] as const)));
  return measured.replace(/url\("?([^")]+)"?\)/g, (_, address: string) => `url("${known.get(address) ?? ""}")`);
}

/** Something of the page as a data address; nothing in place of what cannot be had. */
function inlined(address: string, base: string, fetched: Map<string, Promise<string>>): Promise<string> {
  if (address.startsWith("data:") || address.startsWith("#")) return Promise.resolve(address);
  const url = new URL(address, base);
  const before = fetched.get(url.href);
  if (before !== undefined) return before;
  if (url.origin !== window.location.origin || fetched.size >= FETCHED_MAX) return Promise.resolve("data:,");
  const fetching = fetch(url, { credentials: "same-origin" })
    .then((response) => (response.ok ? response.blob() : Promise.reject(new Error(String(response.status)))))
    .then(asDataUrl)
    .catch(() => "data:,");
  fetched.set(url.href, fetching);
  return fetching;
}

function asDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** What shows where the page has nothing: the colour that its root or body has. */
function paperOf(page: Document): string {
  const view = page.defaultView ?? window;
  const colors = [page.documentElement, page.body].map((one) => view.getComputedStyle(one).backgroundColor);
  return colors.find((color) => color !== "rgba(0, 0, 0, 0)") ?? "white";
}
