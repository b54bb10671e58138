import type { LinkProps } from '@tanstack/react-router'

/** The path of a route. */
export type PagePath = NonNullable<LinkProps['to']>
