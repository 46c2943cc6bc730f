import type { FirstSite } from "../../generated/api";
import { words } from "../../glossary";
import styles from "./Starters.module.css";
import blank from "./starters/blank.webp";
import portfolio from "./starters/portfolio.webp";
import product from "./starters/product.webp";
import restaurant from "./starters/restaurant.webp";
import studio from "./starters/studio.webp";

interface Starter {
  /** Empty for what the server's own setting says, which is the studio unless an operator chose otherwise. */
  value: FirstSite | "";
  picture: string;
  label: string;
}

const said = words.starters;

const STARTERS: readonly Starter[] = [
  { value: "", picture: studio, label: said.studio },
  { value: "product", picture: product, label: said.product },
  { value: "restaurant", picture: restaurant, label: said.restaurant },
  { value: "portfolio", picture: portfolio, label: said.portfolio },
  { value: "empty", picture: blank, label: said.blank },
];

/** What the new site begins with, by picture; the form reads it as `firstSite`. */
export function Starters() {
  return (
    <fieldset className={styles.starters}>
      <legend>{said.title}</legend>
      <div>
        {STARTERS.map(({ value, picture, label }) => (
          <label key={value}>
            <input type="radio" name="firstSite" value={value} defaultChecked={value === ""} />
            <img src={picture} alt="" width={360} height={240} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The starter that was chosen; none leaves it to the server's setting. */
export function chosenStarter(value: string): FirstSite | undefined {
  return STARTERS.map((starter) => starter.value).find((known): known is FirstSite => known !== "" && known === value);
}
