import { words } from "../../../glossary";
import styles from "./Settings.module.css";

const texts = words.pageSettings;

/** What others would show of a page. */
export interface Shown {
  site: string;
  pattern: string;
  title: string;
  address: string;
  description: string;
  image?: string;
  isHidden: boolean;
}

const TITLE_MAX = 60;
const DESCRIPTION_MAX = 160;

export function SearchPreview({ shown }: { shown: Shown }) {
  const { site, pattern, title, address, description, isHidden } = shown;
  const full = pattern.replace("{title}", title).replace("{site}", site);
  return (
    <section className={styles.preview} aria-label={texts.searchPreview}>
      <h3>{texts.searchPreview}</h3>
      {isHidden ? (
        <p className={styles.previewHint}>{texts.hiddenFromSearch}</p>
      ) : (
        <div className={styles.result}>
          <span>{`${window.location.host}${address === "/" ? "" : address.replaceAll("/", " › ")}`}</span>
          <strong>{cut(full, TITLE_MAX)}</strong>
          <p>{description === "" ? texts.noDescription : cut(description, DESCRIPTION_MAX)}</p>
        </div>
      )}
    </section>
  );
}

export function SocialPreview({ shown: { site, title, description, image } }: { shown: Shown }) {
  return (
    <section className={styles.preview} aria-label={texts.socialPreview}>
      <h3>{texts.socialPreview}</h3>
      <div className={styles.card}>
        {image !== undefined && <img src={image} alt="" />}
        <div>
          <span>{site}</span>
          <strong>{title}</strong>
          {description !== "" && <p>{cut(description, DESCRIPTION_MAX)}</p>}
        </div>
      </div>
    </section>
  );
}

/** As search engines do: at a word, with dots. */
function cut(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const beginning = letters.slice(0, most).join("");
  return `${beginning.replace(/\s+\S*$/, "")} …`;
}
