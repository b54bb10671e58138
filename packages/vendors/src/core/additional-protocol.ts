/** Another protocol that a vendor takes beside its chats. */
export interface SideInterface {
  /** Hosts of the vendor that have it: servers of others may have its chats only. */
  readonly hosts: RegExp
  /** Its path there, whatever path the channel's address has. */
  readonly path: string
  /** Models that it serves. */
  readonly models: RegExp
}

/** What a request says of the place that it goes to. */
export interface SidePlace {
  readonly model: string
  readonly baseUrl: string
}

/** The address of the interface; `null` = the server or the model has none. */
export function sideAddress(side: SideInterface, { model, baseUrl }: SidePlace): string | null {
  const place = URL.parse(baseUrl)
  return place !== null && side.hosts.test(place.hostname) && side.models.test(model) ? place.origin + side.path : null
}
