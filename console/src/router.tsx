/** Lists the pages of the console with their addresses. Each page is loaded when it is opened first. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router';
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
const pageSearch = (search: Record<string, unknown>) => textsOf(search, ['offset']);

const home = createRoute({ getParentRoute, path: '/', component: Home });
const signIn = createRoute({ getParentRoute, path: '/sign-in', component: Home });

const overview = createRoute({
  getParentRoute,
  path: '/overview',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'Overview'),
});
const playground = createRoute({
  getParentRoute,
  path: '/playground',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['model', 'second', 'key']),
  component: lazyRouteComponent(() => import('./pages/playground/playground.tsx'), 'Playground'),
});
const generations = createRoute({
  getParentRoute,
  path: '/generations',
  validateSearch: generationFilters,
  component: lazyRouteComponent(() => import('./pages/generations/generations.tsx'), 'Generations'),
});
const generation = createRoute({
  getParentRoute,
  path: '/generations/$id',
  component: lazyRouteComponent(() => import('./pages/generation/generation.tsx'), 'Generation'),
});
const keys = createRoute({
  getParentRoute,
  path: '/keys',
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ['workspace_id', 'offset', 'disabled']),
  component: lazyRouteComponent(() => import('./pages/keys/keys.tsx'), 'Keys'),
});
const jobs = createRoute({
  getParentRoute,
  path: '/jobs',
  validateSearch: jobFilters,
  component: lazyRouteComponent(() => import('./pages/jobs/jobs.tsx'), 'Jobs'),
});
const job = createRoute({
  getParentRoute,
  path: '/jobs/$id',
  component: lazyRouteComponent(() => import('./pages/job/job.tsx'), 'Job'),
});
const syncs = createRoute({
  getParentRoute,
  path: '/syncs',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./pages/syncs/syncs.tsx'), 'Syncs'),
});
const sync = createRoute({
  getParentRoute,
  path: '/syncs/$id',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./pages/syncs/sync.tsx'), 'Sync'),
});
const validations = createRoute({
  getParentRoute,
  path: '/validations',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./pages/validations/validations.tsx'), 'Validations'),
});
const models = createRoute({
  getParentRoute,
  path: '/models',
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ['q', 'output_modalities', 'providers', 'offset']),
  component: lazyRouteComponent(() => import('./pages/models/models.tsx'), 'Models'),
});
const model = createRoute({
  getParentRoute,
  path: '/models/$author/$slug',
  component: lazyRouteComponent(() => import('./pages/model/model.tsx'), 'Model'),
});
const webhooks = createRoute({
  getParentRoute,
  path: '/webhooks',
  validateSearch: webhookFilters,
  component: lazyRouteComponent(() => import('./pages/webhooks/webhooks.tsx'), 'Webhooks'),
});
const destinations = createRoute({
  getParentRoute,
  path: '/destinations',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['workspace_id', 'offset']),
  component: lazyRouteComponent(() => import('./pages/destinations/destinations.tsx'), 'Destinations'),
});
const destination = createRoute({
  getParentRoute,
  path: '/destinations/$id',
  component: lazyRouteComponent(() => import('./pages/destination/destination.tsx'), 'Destination'),
});
const workspaces = createRoute({
  getParentRoute,
  path: '/workspaces',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./pages/workspaces/workspaces.tsx'), 'Workspaces'),
});
const workspace = createRoute({
  getParentRoute,
  path: '/workspaces/$id',
  component: lazyRouteComponent(() => import('./pages/workspace/workspace.tsx'), 'Workspace'),
});

const pages = [
  home,
  signIn,
  overview,
  playground,
  generations,
  generation,
  jobs,
  job,
  syncs,
  sync,
  validations,
  models,
  model,
  keys,
  workspaces,
  workspace,
  webhooks,
  destinations,
  destination,
];

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
