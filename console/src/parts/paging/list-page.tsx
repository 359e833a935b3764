/** Lays out a page of one list: its filters, its table, and the way to its other pages. */
import type { ReactNode } from 'react';
import { Page, type PageProps } from '../page/page.tsx';
import { Listed, type ListedProps } from './listed.tsx';

interface ListPageProps<Row> extends Omit<ListedProps<Row>, 'keyOf'>, Omit<PageProps, 'call' | 'children'> {
  filters?: ReactNode;
}

export function ListPage<Row extends { id: string | number }>(props: ListPageProps<Row>) {
  const { title, about, actions, filters, ...listed } = props;
  return (
    <Page title={title} about={about} call={listed.list.call} actions={actions}>
      {filters}
      <Listed {...listed} keyOf={({ id }) => String(id)} />
    </Page>
  );
}
