/** Lists the pages of the console with their addresses. Each page is loaded when it is opened first. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asProblem } from './api/problem.ts';
import { mayManage, useSession } from './api/session.ts';
import { generationFilters } from './pages/generations/filters.ts';
import { jobFilters } from './pages/jobs/filters.ts';
import { overviewSearch } from './pages/overview/view.ts';
import { webhookFilters } from './pages/webhooks/filters.ts';
import { parseSearch, stringifySearch, textsOf } from './search.ts';
import { NotFound, PageProblem } from './shell/page-problem.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const getParentRoute = () => root;

/** Loads a page when it is opened first. Throws a Problem if its file cannot be read. */
const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(() => importer().catch((error: unknown) => Promise.reject(asProblem(error))), name);

type Search = Record<string, unknown>;

/** Describes a page: its address, the filters in its URL, and the component that its file exports. */
function page<Path extends string, Filters, Name extends string>(
  path: Path,
  validateSearch: (search: Search) => Filters,
  load: () => Promise<Record<Name, () => ReactNode>>,
  name: Name,
) {
  return createRoute({ getParentRoute, path, validateSearch, component: lazyPage(load, name) });
}

const filters =
  <Filter extends string>(...names: Filter[]) =>
  (search: Search) =>
    textsOf(search, names);

const [noFilters, paged] = [filters(), filters('offset')];

const pages = [
  createRoute({ getParentRoute, path: '/', component: Home }),
  createRoute({ getParentRoute, path: '/sign-in', component: Home }),
  page('/overview', overviewSearch, () => import('./pages/overview/overview.tsx'), 'Overview'),
  page(
    '/playground',
    filters('model', 'second', 'key'),
    () => import('./pages/playground/playground.tsx'),
    'Playground',
  ),
  page('/generations', generationFilters, () => import('./pages/generations/generations.tsx'), 'Generations'),
  page('/generations/$id', noFilters, () => import('./pages/generation/generation.tsx'), 'Generation'),
  page('/keys', filters('workspace_id', 'offset', 'disabled'), () => import('./pages/keys/keys.tsx'), 'Keys'),
  page('/jobs', jobFilters, () => import('./pages/jobs/jobs.tsx'), 'Jobs'),
  page('/jobs/$id', noFilters, () => import('./pages/job/job.tsx'), 'Job'),
  page('/syncs', paged, () => import('./pages/syncs/syncs.tsx'), 'Syncs'),
  page('/syncs/$id', paged, () => import('./pages/syncs/syncs.tsx'), 'Sync'),
  page('/validations', paged, () => import('./pages/validations/validations.tsx'), 'Validations'),
  page(
    '/models',
    filters('q', 'output_modalities', 'providers', 'offset'),
    () => import('./pages/models/models.tsx'),
    'Models',
  ),
  page('/models/$author/$slug', noFilters, () => import('./pages/model/model.tsx'), 'Model'),
  page('/webhooks', webhookFilters, () => import('./pages/webhooks/webhooks.tsx'), 'Webhooks'),
  page(
    '/destinations',
    filters('workspace_id', 'offset'),
    () => import('./pages/destinations/destinations.tsx'),
    'Destinations',
  ),
  page('/destinations/$id', noFilters, () => import('./pages/destination/destination.tsx'), 'Destination'),
  page('/workspaces', paged, () => import('./pages/workspaces/workspaces.tsx'), 'Workspaces'),
  page('/workspaces/$id', noFilters, () => import('./pages/workspace/workspace.tsx'), 'Workspace'),
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
