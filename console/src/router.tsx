/** Lists the pages of the console with their addresses. Each page is loaded when it is opened first. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mayManage, useSession } from './api/session.ts';
import { generationFilters } from './pages/generations/filters.ts';
import { jobFilters } from './pages/jobs/filters.ts';
import { overviewSearch } from './pages/overview/view.ts';
import { webhookFilters } from './pages/webhooks/filters.ts';
import { parseSearch, stringifySearch, textsOf } from './search.ts';
import { NotFound } from './shell/not-found.tsx';
import { PageProblem } from './shell/page-problem.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const getParentRoute = () => root;

type Search = Record<string, unknown>;

/** Describes a page: its address, the filters in its URL, and the component that its file exports. */
function pageAt<Path extends string, Filters, Name extends string>(
  path: Path,
  validateSearch: (search: Search) => Filters,
  load: () => Promise<Record<Name, () => ReactNode>>,
  name: Name,
) {
  return createRoute({ getParentRoute, path, validateSearch, component: lazyRouteComponent(load, name) });
}

const searchOf =
  <Filter extends string>(...names: Filter[]) =>
  (search: Search) =>
    textsOf(search, names);

const pages = [
  createRoute({ getParentRoute, path: '/', component: Home }),
  createRoute({ getParentRoute, path: '/sign-in', component: Home }),
  pageAt('/overview', overviewSearch, () => import('./pages/overview/overview.tsx'), 'Overview'),
  pageAt(
    '/playground',
    searchOf('model', 'second', 'key'),
    () => import('./pages/playground/playground.tsx'),
    'Playground',
  ),
  pageAt(
    '/generations',
    generationFilters,
    () => import('./pages/generations/generations.tsx'),
    'Generations',
  ),
  pageAt('/generations/$id', searchOf(), () => import('./pages/generation/generation.tsx'), 'Generation'),
  pageAt(
    '/keys',
    searchOf('workspace_id', 'offset', 'disabled'),
    () => import('./pages/keys/keys.tsx'),
    'Keys',
  ),
  pageAt('/jobs', jobFilters, () => import('./pages/jobs/jobs.tsx'), 'Jobs'),
  pageAt('/jobs/$id', searchOf(), () => import('./pages/job/job.tsx'), 'Job'),
  pageAt('/syncs', searchOf('offset'), () => import('./pages/syncs/syncs.tsx'), 'Syncs'),
  pageAt('/syncs/$id', searchOf('offset'), () => import('./pages/syncs/sync.tsx'), 'Sync'),
  pageAt(
    '/validations',
    searchOf('offset'),
    () => import('./pages/validations/validations.tsx'),
    'Validations',
  ),
  pageAt(
    '/models',
    searchOf('q', 'output_modalities', 'providers', 'offset'),
    () => import('./pages/models/models.tsx'),
    'Models',
  ),
  pageAt('/models/$author/$slug', searchOf(), () => import('./pages/model/model.tsx'), 'Model'),
  pageAt('/webhooks', webhookFilters, () => import('./pages/webhooks/webhooks.tsx'), 'Webhooks'),
  pageAt(
    '/destinations',
    searchOf('workspace_id', 'offset'),
    () => import('./pages/destinations/destinations.tsx'),
    'Destinations',
  ),
  pageAt('/destinations/$id', searchOf(), () => import('./pages/destination/destination.tsx'), 'Destination'),
  pageAt('/workspaces', searchOf('offset'), () => import('./pages/workspaces/workspaces.tsx'), 'Workspaces'),
  pageAt('/workspaces/$id', searchOf(), () => import('./pages/workspace/workspace.tsx'), 'Workspace'),
] as const;

/** Leads to the first page that the session may read. */
function Home() {
  return <Navigate to={mayManage(useSession()) ? '/overview' : '/playground'} replace />;
}

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren(pages),
    basepath: '/console',
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: PageProblem,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
