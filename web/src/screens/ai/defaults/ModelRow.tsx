import type { ModelOffer } from "../../../generated/api";
import { words } from "../../../glossary";
import { Badge } from "../../../parts/badge/Badge";
import { formatCompact, formatPrice } from "../../../words/usage-words";
import { visible } from "../../../words/visible-text";
import styles from "./Models.module.css";

interface ModelRowProps {
  model: ModelOffer;
  group: string;
  chosen: boolean;
  onChoose(model: string): void;
}

/** A model to choose, with what a person needs to know to choose it. */
export function ModelRow({ model, group, chosen, onChoose }: ModelRowProps) {
  const { tier, retiresAt } = model;
  return (
    <label className={styles.model}>
      <input type="radio" name={group} value={model.id} checked={chosen} onChange={() => onChoose(model.id)} />
      <span>
        <span className={styles.name}>
          {visible(model.name)}{" "}
          {tier && <Badge tone={tier === "smartest" ? "accent" : "plain"}>{words.ai.tiers[tier]}</Badge>}
          {model.visionInput === true && <Badge>{words.ai.sees}</Badge>}
          {model.tools === false && <Badge tone="caution">{words.ai.noTools}</Badge>}
          {retiresAt && <Badge tone="caution">{words.ai.retires(retiresAt)}</Badge>}
        </span>
        <small>
          {[windowOf(model), priceOf(model)].join(" · ")}
          {model.name !== model.id && (
            <>
              {" · "}
              <code>{model.id}</code>
            </>
          )}
        </small>
      </span>
    </label>
  );
}

function windowOf({ contextWindow }: ModelOffer): string {
  return typeof contextWindow === "number" ? words.ai.window(formatCompact(contextWindow)) : words.ai.noWindow;
}

function priceOf({ pricing }: ModelOffer): string {
  if (!pricing) return words.ai.noPrice;
  if (pricing.prompt === 0 && pricing.completion === 0) return words.ai.free;
  return words.ai.price(formatPrice(pricing.prompt), formatPrice(pricing.completion));
}
