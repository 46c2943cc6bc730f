import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link } from "wouter";
import { Icon, type IconName } from "../icon/Icon";
import styles from "./Button.module.css";

type Look = "primary" | "plain" | "quiet" | "danger" | "danger-plain";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  icon?: IconName;
  /** Shows that the request is on its way; the button keeps its size and focus. */
  busy?: boolean;
  wide?: boolean;
}

export function Button({
  look = "plain",
  icon,
  busy = false,
  wide = false,
  children,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={styles.button}
      data-look={look}
      data-wide={wide}
      aria-disabled={busy || undefined}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
      {busy && <span className={styles.busy} aria-hidden="true" />}
    </button>
  );
}

/** A button that shows only an icon; `label` is its name. */
export function IconButton({
  label,
  icon,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { label: string; icon: IconName }) {
  return (
    <button type="button" {...rest} className={styles.iconButton} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

export function ButtonLink({ href, look = "plain", children }: { href: string; look?: Look; children: ReactNode }) {
  return (
    <Link href={href} className={styles.button} data-look={look}>
      <span>{children}</span>
    </Link>
  );
}
