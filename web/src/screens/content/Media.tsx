import { useCallback, useRef, useState } from "react";
import { may } from "../../access/permissions";
import { mediaApi, notices } from "../../app-state";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Button } from "../../parts/button/Button";
import { Empty } from "../../parts/empty/Empty";
import { Field } from "../../parts/field/Field";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import settings from "../settings/Settings.module.css";
import styles from "./Media.module.css";
import { MediaDialog } from "./MediaDialog";
import { useAssistantChanges } from "./use-content-assistant";

const said = words.content;

/** The pictures of the site. */
export function Media() {
  const { capabilities } = useSession();
  const mayWrite = may(capabilities, { needs: "content.write" });
  const [search, setSearch] = useState("");
  const [opened, setOpened] = useState<string>();
  const file = useRef<HTMLInputElement>(null);
  const pictures = useResource(useCallback(() => mediaApi.list({ search }), [search]));
  useAssistantChanges(pictures.reload);
  const more = useAction(async (before: string) => {
    const older = await mediaApi.list({ search, before });
    pictures.replace((known) => ({ media: [...known.media, ...older.media], next: older.next }));
  });
  const uploading = useAction(async (chosen: readonly File[]) => {
    try {
      for (const one of chosen) {
        const { name } = await mediaApi.upload(one);
        notices.show(said.uploaded(name));
      }
    } finally {
      // Those before a file that was refused are there.
      pictures.reload();
    }
  });
  return (
    <Page
      title={said.tabs.media}
      intro={said.mediaIntro}
      action={
        mayWrite && (
          <Button look="primary" icon="plus" busy={uploading.pending} onClick={() => file.current?.click()}>
            {words.picture.upload}
          </Button>
        )
      }
    >
      <input
        ref={file}
        type="file"
        hidden
        multiple
        accept="image/*"
        onChange={({ target }) => {
          uploading.run([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      <ProblemNote problem={uploading.problem} />
      <div className={styles.search}>
        <Field
          label={words.picture.search}
          type="search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      <Loaded resource={pictures}>
        {({ media, next }) =>
          media.length === 0 ? (
            <Empty icon="picture" title={search === "" ? words.picture.empty : words.picture.noneFound} />
          ) : (
            <>
              <ul className={styles.grid} aria-label={said.tabs.media}>
                {media.map((picture) => (
                  <li key={picture.id}>
                    <button type="button" className={styles.tile} onClick={() => setOpened(picture.id)}>
                      <img src={picture.thumbnail} alt="" loading="lazy" />
                      <span className={styles.name}>{picture.name}</span>
                      <span className={styles.about}>{picture.alt === "" ? said.noAlt : picture.alt}</span>
                    </button>
                  </li>
                ))}
              </ul>
              {next != null && (
                <div className={settings.answers}>
                  <Button busy={more.pending} onClick={() => more.run(next)}>
                    {words.picture.more}
                  </Button>
                </div>
              )}
              <ProblemNote problem={more.problem} />
            </>
          )
        }
      </Loaded>
      {opened !== undefined && (
        <MediaDialog id={opened} mayWrite={mayWrite} onChanged={pictures.reload} onClose={() => setOpened(undefined)} />
      )}
    </Page>
  );
}
