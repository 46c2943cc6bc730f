// A look at a rendered document for the assistant: where everything stands, what looks wrong, and a picture. The document is rendered
// in a frame of its own, out of sight, as wide as the breakpoint that is asked for.
import { writePage } from "../canvas/frame-document";
import type { FrameQuery, FrameReport } from "../generated/site";
import { layoutOf, nodeIn } from "./frame-layout";
import { drawFrame } from "./frame-picture";

const HEIGHT = 800;
/** How long pictures and fonts of the page may take. */
const READY_MS = 6_000;

export async function capture(
  query: FrameQuery,
  render: (document: string) => Promise<{ html: string }>,
): Promise<FrameReport> {
  const { html } = await render(query.document);
  const frame = await openFrame(query.width);
  try {
    const page = frame.contentDocument;
    if (page === null) return { type: "impossible", reason: "The page could not be rendered out of sight" };
    writePage(page, html);
    await isReady(page);
    const element = query.node == null ? page.documentElement : nodeIn(page, query.node);
    if (element === null) return { type: "notShown" };
    const image = query.screenshot ? await drawFrame(page, element).catch(() => undefined) : undefined;
    return {
      type: "captured",
      frame: {
        capturedAt: new Date().toISOString(),
        layout: layoutOf(page, element, query),
        ...(image === undefined ? {} : { image }),
      },
    };
  } finally {
    frame.remove();
  }
}

/** A frame that nobody sees or reaches. It runs nothing, as those of the canvas. */
function openFrame(width: number): Promise<HTMLIFrameElement> {
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-same-origin");
  frame.setAttribute("aria-hidden", "true");
  frame.tabIndex = -1;
  frame.inert = true;
  Object.assign(frame.style, {
    position: "fixed",
    insetInlineStart: "-100000px",
    insetBlockStart: "0",
    inlineSize: `${width}px`,
    blockSize: `${HEIGHT}px`,
    border: "0",
    pointerEvents: "none",
  });
  frame.src = "/admin/canvas.html";
  return new Promise((resolve, reject) => {
    frame.addEventListener("load", () => resolve(frame), { once: true });
    frame.addEventListener("error", () => reject(new Error("the frame did not load")), { once: true });
    document.body.append(frame);
  });
}

/** Pictures and fonts are there, or have failed, or took too long. */
async function isReady(page: Document): Promise<void> {
  for (const image of page.images) image.loading = "eager";
  const pictures = [...page.images].map((image) => image.decode().catch(() => undefined));
  const late = new Promise<void>((resolve) => setTimeout(resolve, READY_MS));
  await Promise.race([Promise.all([...pictures, page.fonts.ready]), late]);
}
