import type { LinkProps } from '@tanstack/react-router'

/** An address that one of the routes answers. */
export type PagePath = NonNullable<LinkProps['to']>
