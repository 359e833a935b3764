/** Shows that a page failed, and offers to load it again: after an upgrade, files of the old version are gone. */
import { Page } from '../parts/page/page.tsx';
import { ProblemBox } from '../parts/states/states.tsx';

export function PageProblem({ error }: { error: unknown }) {
  return (
    <Page title="This page failed">
      <ProblemBox error={error} onRetry={() => location.reload()} />
    </Page>
  );
}
