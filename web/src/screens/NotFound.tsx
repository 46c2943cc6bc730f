import { words } from "../glossary";
import { ButtonLink } from "../parts/button/Button";
import { Empty } from "../parts/empty/Empty";
import { Page } from "../parts/page/Page";

export function NotFound() {
  return (
    <Page title={words.pages.missing}>
      <Empty icon="page" title="There is nothing at this address" action={<ButtonLink href="/">Go to Home</ButtonLink>}>
        It may have moved, or your role does not give you access.
      </Empty>
    </Page>
  );
}
