import { useCallback, useState } from "react";
import { may } from "../../access/permissions";
import type { MenuItem as NavItem } from "../../api/content-api";
import { contentApi, notices } from "../../app-state";
import type { ListedNavigation } from "../../generated/api";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Confirm } from "../../parts/dialog/Confirm";
import { Icon } from "../../parts/icon/Icon";
import { Loaded } from "../../parts/loading/Loading";
import { Menu, MenuItem } from "../../parts/menu/Menu";
import { Page, Section } from "../../parts/page/Page";
import settings from "../settings/Settings.module.css";
import { MenuDialog, MenuItemDialog } from "./MenuDialogs";
import { useAssistantChanges } from "./use-content-assistant";

const said = words.content;

interface MenusProps {
  menus: readonly ListedNavigation[];
  onChanged(): void;
}

export function Menus({ menus, onChanged }: MenusProps) {
  const { capabilities } = useSession();
  const mayWrite = may(capabilities, { needs: "content.write" });
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ListedNavigation>();
  return (
    <Page
      title={said.tabs.menus}
      intro={said.menusIntro}
      action={
        mayWrite && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {said.newMenu}
          </Button>
        )
      }
    >
      {menus.map((menu) => (
        <MenuSection key={menu.id} menu={menu} mayWrite={mayWrite} onDelete={() => setDeleting(menu)} />
      ))}
      {creating && <MenuDialog onSaved={onChanged} onClose={() => setCreating(false)} />}
      {deleting && (
        <Confirm
          title={`Delete ${deleting.label}?`}
          verb={words.actions.delete}
          action={async () => {
            await contentApi.deleteMenu(deleting.id);
            notices.show(said.saved);
            onChanged();
          }}
          onClose={() => setDeleting(undefined)}
        >
          Its items are deleted with it.
        </Confirm>
      )}
    </Page>
  );
}

interface MenuProps {
  menu: ListedNavigation;
  mayWrite: boolean;
  onDelete(): void;
}

function MenuSection({ menu, mayWrite, onDelete }: MenuProps) {
  const items = useResource(useCallback(() => contentApi.menuItems(menu.id), [menu.id]));
  useAssistantChanges(items.reload);
  const [edited, setEdited] = useState<NavItem | "new">();
  const [deleting, setDeleting] = useState<NavItem>();
  return (
    <Section
      title={menu.label}
      action={
        mayWrite && (
          <div className={settings.actions}>
            <Button icon="plus" onClick={() => setEdited("new")}>
              {said.newItem}
            </Button>
            <Menu look="icon" label={said.menuActions(menu.label)} trigger={<Icon name="more" />}>
              <MenuItem icon="trash" danger onSelect={onDelete}>
                {words.actions.delete}
              </MenuItem>
            </Menu>
          </div>
        )
      }
    >
      <Loaded resource={items}>
        {(list) =>
          list.length === 0 ? (
            <p>{said.emptyMenu}</p>
          ) : (
            <Rows label={menu.label}>
              {list.map((item) => (
                <li key={item.id} className={settings.row}>
                  <div className={settings.grow}>
                    <h3 className={settings.name}>
                      {parentOf(item, list)}
                      {item.label} {!item.visible && <Badge>Hidden</Badge>}
                    </h3>
                    <p className={settings.about}>{item.href ?? said.targets[item.targetType]}</p>
                  </div>
                  {mayWrite && (
                    <Menu look="icon" label={said.menuActions(item.label)} trigger={<Icon name="more" />}>
                      <MenuItem icon="pencil" onSelect={() => setEdited(item)}>
                        {words.actions.edit}
                      </MenuItem>
                      <MenuItem icon="trash" danger onSelect={() => setDeleting(item)}>
                        {words.actions.delete}
                      </MenuItem>
                    </Menu>
                  )}
                </li>
              ))}
            </Rows>
          )
        }
      </Loaded>
      {edited !== undefined && (
        <MenuItemDialog
          menu={menu}
          item={edited === "new" ? undefined : edited}
          onSaved={items.reload}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleting && (
        <Confirm
          title={`Delete ${deleting.label}?`}
          verb={words.actions.delete}
          action={async () => {
            await contentApi.deleteMenuItem(deleting.id);
            items.reload();
          }}
          onClose={() => setDeleting(undefined)}
        >
          Items under it are deleted with it.
        </Confirm>
      )}
    </Section>
  );
}

function parentOf({ parentId }: NavItem, items: readonly NavItem[]): string {
  const parent = items.find(({ id }) => id === parentId);
  return parent === undefined ? "" : `${parent.label} › `;
}
