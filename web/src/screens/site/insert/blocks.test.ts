import { expect, test } from "vitest";
import { ELEMENTS, LAYOUTS, videoHtml } from "./blocks";

test("a video becomes a player that sets no cookies, or a video element", () => {
  const source = (address: string) => /src="([^"]+)"/.exec(videoHtml(address) ?? "")?.[1];
  const player = "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ";
  expect(source("https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=4s")).toBe(player);
  expect(source("https://youtu.be/dQw4w9WgXcQ?si=x")).toBe(player);
  expect(source("https://youtube.com/shorts/dQw4w9WgXcQ")).toBe(player);
  expect(source("https://vimeo.com/123456789")).toBe("https://player.vimeo.com/video/123456789?dnt=1");
  expect(videoHtml("https://example.com/film.mp4")).toMatch(/^<video src="https:\/\/example.com\/film.mp4" controls/);
});

test("what is no video is refused", () => {
  for (const address of ["", "film", "javascript:alert(1)", "https://example.com/", 'https://youtu.be/"><script>']) {
    expect(videoHtml(address), address).toBeUndefined();
  }
});

test("every block has a name of its own", () => {
  const all = [...LAYOUTS, ...ELEMENTS];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
});
