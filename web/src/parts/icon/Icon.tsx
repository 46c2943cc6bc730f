import styles from "./Icon.module.css";

const PATHS = {
  home: "M3.5 9 10 3.5 16.5 9M5 8v8h10V8",
  activity: "M2.5 10.500H6L8 5l4 10.500L14 10.500h3.500",
  settings: "M3 6h7M14 6h3M3 14h3M10 14h7M12 4v4M8 12v4",
  menu: "M3 6h14M3 10h14M3 14h14",
  close: "m5 5 10 10M15 5 5 15",
  more: "M4.500 10h.01M10 10h.01M15.500 10h.01",
  chevron: "m6 8 4 4 4-4",
  check: "m4.500 10.500 3.500 3.500 7.500-8",
  plus: "M10 4v12M4 10h12",
  copy: "M7 7V3.500h9.500V13H13M3.500 7H13v9.500H3.500Z",
  person: "M10 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 16.500c.8-3 3-4.500 6-4.500s5.200 1.500 6 4.500",
  key: "M12.500 11a4 4 0 1 0-3.900-3.100L3.500 13v3.500H7V14h2v-2l1.300-1.300c.6.2 1.400.3 2.200.3ZM13 7h.01",
  alert: "M10 6.500v4.500M10 13.800h.01M10 2.500a7.500 7.500 0 1 1 0 15 7.500 7.500 0 0 1 0-15Z",
  clock: "M10 6v4.200l2.600 1.800M10 2.500a7.500 7.500 0 1 1 0 15 7.500 7.500 0 0 1 0-15Z",
  eye: "M2 10c2-3.700 4.700-5.500 8-5.500s6 1.800 8 5.500c-2 3.700-4.700 5.500-8 5.500S4 13.700 2 10ZM10 12.300a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600Z",
  eyeOff:
    "M3 3l14 14M7.500 5c.8-.3 1.600-.5 2.500-.5 3.300 0 6 1.800 8 5.500-.7 1.300-1.500 2.400-2.400 3.200M12.500 15c-.8.3-1.600.5-2.500.5-3.300 0-6-1.800-8-5.500.7-1.300 1.500-2.400 2.400-3.200M8.400 8.300a2.300 2.300 0 0 0 3.300 3.300",
  page: "M5 2.500h6.500L15.500 6.500v11H5ZM11.500 2.500v4h4",
  arrow: "M4 10h12M11 5l5 5-5 5",
  cloudOff:
    "M3 3l14 14M7.300 5.300A5 5 0 0 1 14 8.500a3.500 3.500 0 0 1 2.600 5.600M12.500 15H6a3.700 3.700 0 0 1-.8-7.300",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration only: whatever it stands for is also said in text. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className={styles.icon} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
