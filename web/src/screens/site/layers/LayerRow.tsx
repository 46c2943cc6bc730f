import type { PointerEvent } from "react";
import { Icon, type IconName } from "../../../parts/icon/Icon";
import type { Row } from "../../../site/layer-tree";
import type { Layer } from "../../../site/model";
import { layerMarks, layerName } from "../layer-words";
import type { Side } from "./drop";
import styles from "./Layers.module.css";
import { NameField } from "./NameField";

interface LayerRowProps {
  row: Row;
  layer: Layer;
  id: string;
  top: number;
  isOpen: boolean;
  isSelected: boolean;
  isHovered: boolean;
  drop?: Side;
  /** Who has just changed it. */
  flash?: string;
  /** Asks for another name while it is there. */
  rename?: { save(name: string): void; leave(): void };
  onToggle(): void;
  onPointerDown(event: PointerEvent): void;
  /** Begins to drag it by its grip; left out where it cannot be moved. */
  onGrip?(event: PointerEvent): void;
  onEnter(): void;
  onEdit(): void;
  onMenu(event: React.MouseEvent): void;
}

export function LayerRow(props: LayerRowProps) {
  const { row, layer, id, top, isOpen, isSelected, isHovered, drop, flash, rename } = props;
  const marks = layerMarks(layer);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the row it is at.
    <div
      id={id}
      role="treeitem"
      className={styles.row}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.count}
      aria-selected={isSelected}
      aria-expanded={layer.hasLayers ? isOpen : undefined}
      data-hovered={isHovered}
      data-hidden={layer.hidden}
      data-drop={drop}
      data-flash={flash !== undefined}
      style={{ top, paddingInlineStart: `${row.level * 0.875 - 0.5}rem` }}
      onPointerDown={props.onPointerDown}
      onPointerEnter={props.onEnter}
      onDoubleClick={props.onEdit}
      onContextMenu={props.onMenu}
    >
      <span
        className={styles.twist}
        data-open={isOpen}
        aria-hidden="true"
        onPointerDown={(event) => event.stopPropagation()}
        onClick={props.onToggle}
      >
        {layer.hasLayers && <Icon name="chevron" />}
      </span>
      <Icon name={iconOf(layer)} />
      {rename === undefined ? (
        <span className={styles.text}>
          <span>{layerName(layer)}</span>
          {layer.detail !== undefined && <small>{layer.detail}</small>}
        </span>
      ) : (
        <NameField name={layer.name} {...rename} />
      )}
      {flash !== undefined && <span className={styles.who}>{flash}</span>}
      {layer.hidden && <Icon name="eyeOff" />}
      {layer.lock !== "open" && <Icon name="lock" />}
      {props.onGrip !== undefined && rename === undefined && (
        <span className={styles.grip} aria-hidden="true" onPointerDown={props.onGrip}>
          <Icon name="grip" />
        </span>
      )}
      {marks.length > 0 && <span className="visually-hidden">{marks.join(", ")}</span>}
    </div>
  );
}

function iconOf({ kind, tag }: Layer): IconName {
  if (kind === "text" || /^(h[1-6]|p|span|em|strong|b|i|blockquote|label)$/.test(tag ?? "")) return "text";
  if (kind === "loop") return "repeat";
  if (kind === "component") return "component";
  if (kind === "outlet") return "page";
  if (tag === "a" || tag === "button") return "link";
  return /^(img|picture|svg|video)$/.test(tag ?? "") ? "picture" : "box";
}
