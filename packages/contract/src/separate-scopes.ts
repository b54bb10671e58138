/** Scopes of personal access tokens that no other scope includes, not even `all`: whoever has one can get at money or lasting access. */
export const separateScopes = ['token:keys', 'redemption:keys', 'user:credentials'] as const
export type SeparateScope = (typeof separateScopes)[number]
