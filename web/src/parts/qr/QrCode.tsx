import styles from "./QrCode.module.css";
import { encodeQr, qrPath } from "./qr-code";

/** The standard asks for four modules of nothing around it. */
const QUIET = 4;

/** A text as a QR code; `label` says what it is for. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = encodeQr(text);
  const size = code.length + 2 * QUIET;
  return (
    <svg
      className={styles.code}
      viewBox={`${-QUIET} ${-QUIET} ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={qrPath(code)} />
    </svg>
  );
}
