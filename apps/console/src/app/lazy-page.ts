import type { QueryClient } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import type { TextGroup } from '../lib/messages/groups.ts'
import type { PathParams, Preload, SearchParams } from '../lib/preload.ts'
import { withTexts } from '../lib/t.ts'

export interface RouterContext {
  readonly client: QueryClient
}

interface LoaderContext {
  readonly context: RouterContext
  readonly location: { readonly search: SearchParams }
  readonly params: PathParams
}

/** Loads what a page shows first as soon as its code is there, also while a link to it is only pointed at. */
export function withData(load: () => Promise<{ readonly preload: Preload }>) {
  return ({ context, location, params }: LoaderContext): void => {
    void load().then(
      ({ preload }) => preload(context.client, location.search, params),
      // The page reports that its code could not be loaded.
      () => null,
    )
  }
}

/** A page, loaded together with the texts that it uses. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
  ...groups: readonly TextGroup[]
) {
  return lazyRouteComponent(withTexts(load, ...groups), name)
}

/** A page that says what it shows first. */
export function dataPage<Module extends { readonly preload: Preload }, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
  ...groups: readonly TextGroup[]
) {
  return { loader: withData(load), component: lazyPage(load, name, ...groups) }
}
