import type { ReactNode } from "react";
import styles from "./Badge.module.css";

export function Badge({
  tone = "plain",
  children,
}: {
  tone?: "plain" | "accent" | "caution" | "danger";
  children: ReactNode;
}) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}
