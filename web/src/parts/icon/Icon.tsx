import styles from "./Icon.module.css";

const PATHS = {
  home: "M3.5 9 10 3.5 16.5 9M5 8v8h10V8",
  site: "M3 4h14v12H3ZM3 8h14M5.5 6h.01M8 6h.01",
  undo: "M7 4.5 3.5 8 7 11.5M4 8h7.5a4 4 0 0 1 0 8H9",
  redo: "M13 4.5 16.5 8 13 11.5M16 8H8.5a4 4 0 0 0 0 8H11",
  approve: "M4 3.5h12v10H9.5L6 16.5v-3H4ZM7.5 8.5l2 2 3.5-4",
  activity: "M2.5 10.5H6L8 5l4 10.5L14 10.5h3.5",
  settings: "M3 6h7M14 6h3M3 14h3M10 14h7M12 4v4M8 12v4",
  menu: "M3 6h14M3 10h14M3 14h14",
  close: "m5 5 10 10M15 5 5 15",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  grip: "M4.5 7.5h11M4.5 12.5h11",
  chevron: "m6 8 4 4 4-4",
  check: "m4.5 10.5 3.5 3.5 7.5-8",
  plus: "M10 4v12M4 10h12",
  copy: "M7 7V3.5h9.5V13H13M3.5 7H13v9.5H3.5Z",
  person: "M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 16.5c.8-3 3-4.5 6-4.5s5.2 1.5 6 4.5",
  key: "M12.5 11a4 4 0 1 0-3.9-3.1L3.5 13v3.5H7V14h2v-2l1.3-1.3c.6.2 1.4.3 2.2.3ZM13 7h.01",
  alert: "M10 6.5v4.5M10 13.8h.01M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15Z",
  clock: "M10 6v4.2l2.6 1.8M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15Z",
  eye: "M2 10c2-3.7 4.7-5.5 8-5.5s6 1.8 8 5.5c-2 3.7-4.7 5.5-8 5.5S4 13.7 2 10ZM10 12.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6Z",
  eyeOff:
    "M3 3l14 14M7.5 5c.8-.3 1.6-.5 2.5-.5 3.3 0 6 1.8 8 5.5-.7 1.3-1.5 2.4-2.4 3.2M12.5 15c-.8.3-1.6.5-2.5.5-3.3 0-6-1.8-8-5.5.7-1.3 1.5-2.4 2.4-3.2M8.4 8.3a2.3 2.3 0 0 0 3.3 3.3",
  page: "M5 2.5h6.5L15.5 6.5v11H5ZM11.5 2.5v4h4",
  arrow: "M4 10h12M11 5l5 5-5 5",
  cloudOff: "M3 3l14 14M7.3 5.3A5 5 0 0 1 14 8.5a3.5 3.5 0 0 1 2.6 5.6M12.5 15H6a3.7 3.7 0 0 1-.8-7.3",
  import: "M10 3.5V13M6 9.5l4 4 4-4M3.5 12v4.5h13V12",
  publish: "M10 13V3.5M6 7.5l4-4 4 4M3.5 12v4.5h13V12",
  assistant: "M10 3.2 11.6 8.4 16.8 10 11.6 11.6 10 16.8 8.4 11.6 3.2 10 8.4 8.4ZM16 3v3M14.5 4.5h3",
  sweep: "M11.5 3.5 9 9.5M6 9h6.5l1 3c.5 1.6.8 3 .8 4.5H4.5c.9-1.4 1.3-2.8 1.4-4.5ZM8 16.5v-2M11 16.5v-2",
  image: "M3 4h14v12H3ZM3 13.5l4-4 3.5 3.5 2-2 4.5 4.5M13 7.5h.01",
  stop: "M6 6h8v8H6Z",
  send: "M10 16V4M5 9l5-5 5 5",
  plan: "M4 5.5h.01M4 10h.01M4 14.5h.01M7.5 5.5H16M7.5 10H16M7.5 14.5H13",
  trash: "M4 6h12M8 6V4h4v2M5.5 6l.7 10.5h7.6L14.5 6M8.5 9v4.5M11.5 9v4.5",
  tool: "M11.5 8.5 17 14l-3 3-5.5-5.5M8.6 11.4a4 4 0 0 1-4.9-5.2L6 8.5 8.5 6 6.2 3.7a4 4 0 0 1 5.3 4.9",
  external: "M8 4.5H4v11.5h11.5v-4M11.5 3.5h5v5M16 4l-7 7",
  palette:
    "M10 3a7 7 0 1 0 0 14c1.4 0 1.7-1 1.2-2-.6-1.3.1-2.5 1.6-2.5H15c1.3 0 2-1 2-2.5C17 6.2 13.9 3 10 3ZM6.5 10h.01M8 6.8h.01M12 6.8h.01",
  picture: "M3 4h14v12H3ZM3 13.5l4-4 3.5 3.5 2.5-2.5 4 4M12.5 7.5h.01",
  up: "M10 16V4.5M5 9l5-5 5 5",
  down: "M10 4v11.5M5 11l5 5 5-5",
  pencil: "M4 16l.7-3.3L13.3 4.1l2.6 2.6L7.3 15.3ZM11.5 6l2.6 2.6",
  minus: "M4 10h12",
  fit: "M3.5 7V3.5H7M13 3.5h3.5V7M16.5 13v3.5H13M7 16.5H3.5V13",
  fitAll: "M2.5 6.5V3.5h3M14.5 3.5h3v3M17.5 13.5v3h-3M5.5 16.5h-3v-3M5 7.5h5v5H5ZM12.5 7.5H15v5h-2.5Z",
  sun: "M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.4 4.4l1 1M14.6 14.6l1 1M4.4 15.6l1-1M14.6 5.4l1-1",
  moon: "M16.5 12A7 7 0 1 1 8 3.5a5.5 5.5 0 0 0 8.5 8.5Z",
  search: "M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM13 13l4 4",
  panelLeft: "M3 4h14v12H3ZM8 4v12",
  panelRight: "M3 4h14v12H3ZM12 4v12",
  keyboard: "M2.5 5.5h15v9h-15ZM5 8.5h.01M8 8.5h.01M11 8.5h.01M14 8.5h.01M6.5 11.5h7",
  box: "M4 4h12v12H4Z",
  text: "M4.5 6V4h11v2M10 4v12M8 16h4",
  repeat: "M4 8.5A4 4 0 0 1 8 5h8M13.5 2.5 16 5l-2.5 2.5M16 11.5a4 4 0 0 1-4 3.5H4M6.5 17.5 4 15l2.5-2.5",
  component: "M10 2.5l3 3-3 3-3-3ZM10 11.5l3 3-3 3-3-3ZM5.5 7l3 3-3 3-3-3ZM14.5 7l3 3-3 3-3-3Z",
  link: "M8.5 11.5a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.2l-1 1M11.5 8.5a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.2l1-1",
  columns: "M3 4h6v12H3ZM11 4h6v12h-6Z",
  grid: "M3.5 3.5H9V9H3.5ZM11 3.5h5.5V9H11ZM3.5 11H9v5.5H3.5ZM11 11h5.5v5.5H11Z",
  heading: "M5 4v12M15 4v12M5 10h10",
  play: "M3 4h14v12H3ZM8.5 7.5v5l4-2.5Z",
  cut: "M6 4l8.5 9M14 4 5.5 13M5 12.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4ZM15 12.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z",
  paste: "M7 3.5h6V6H7ZM7 4.5H4.5v12h11v-12H13",
  lock: "M5 9h10v7.5H5ZM7 9V6.5a3 3 0 0 1 6 0V9",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration only: whatever it stands for is also said in text. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className={styles.icon} data-name={name} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
