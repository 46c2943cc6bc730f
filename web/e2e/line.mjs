// A line to the product that can be cut. `setOffline` of a browser refuses new requests only, and lets a stream that is under way go on.
import { once } from "node:events";
import { connect, createServer } from "node:net";

/** Passes bytes between whoever connects and the product at an address. */
export async function startLine(address) {
  const { hostname, port } = new URL(address);
  const sockets = new Set();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const end = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    /** Ends every connection and takes no more. */
    cut: end,
    restore: () => {
      isCut = false;
    },
    async stop() {
      end();
      server.close();
      await once(server, "close");
    },
  };
}
