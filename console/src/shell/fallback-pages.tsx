/** Shows what stands in place of a page that does not exist. */
import { Link } from '@tanstack/react-router';
import { Page } from '../parts/page/page.tsx';
import { Empty } from '../parts/states/states.tsx';

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address.">
        <Link to="/">Go to the first page</Link>
      </Empty>
    </Page>
  );
}
