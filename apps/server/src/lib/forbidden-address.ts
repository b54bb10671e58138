/** An address that nobody may be connected to: of a channel, of a vendor query, or of a service that an administrator has entered. */
export class ForbiddenAddress extends Error {}

/** The address is in a private network, and root has not allowed it. */
export class PrivateAddress extends ForbiddenAddress {}
