/** Shows that a page does not exist, or that it failed, and then loads it again as soon as the gateway has its files. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LIVE_MS } from '../api/query-client.ts';
import { asProblem, Problem } from '../api/problem.ts';
import { Button } from '../parts/button/button.tsx';
import { Page } from '../parts/page/page.tsx';
import { Empty, ProblemBox } from '../parts/states/states.tsx';

export function PageProblem({ error }: { error: unknown }) {
  return (
    <Page title="This page failed">
      {error instanceof Problem ? <FilesProblem problem={error} /> : <Fault error={error} />}
    </Page>
  );
}

/** The gateway is away, or was upgraded: then the console that it serves now names other files. */
function FilesProblem({ problem }: { problem: Problem }) {
  useQuery({
    queryKey: ['console'],
    refetchInterval: LIVE_MS,
    async queryFn({ signal }) {
      const { ok } = await fetch(location.href, { signal }).catch((thrown: unknown) => {
        throw asProblem(thrown);
      });
      if (ok) location.reload();
      return ok;
    },
  });
  return <ProblemBox error={problem} onRetry={() => location.reload()} />;
}

function Fault({ error }: { error: unknown }) {
  return (
    <div role="alert">
      <Empty title="This is a fault of the console, or an answer that it does not understand.">
        <p>{String(error)}</p>
        <Button onClick={() => location.reload()}>Load again</Button>
      </Empty>
    </div>
  );
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address.">
        <Link to="/">Go to the first page</Link>
      </Empty>
    </Page>
  );
}
