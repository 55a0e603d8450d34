/**
 * The key of a service that the host offers to tools. Each room of tools declares the ports that it needs, so that a
 * tool sees only the services it imports the key of.
 */
export interface Port<Service> {
  readonly name: string;
  /** Never set: ties the key to the type of its service. */
  readonly carries?: (service: Service) => Service;
}

export function definePort<Service>(name: string): Port<Service> {
  return { name };
}

/** Returns the service of a port. Throws when the host offers none. */
export type ServiceLookup = <Service>(port: Port<Service>) => Service;

/** A port with its service, as `offer` makes it. */
export interface Offer {
  readonly port: { readonly name: string };
  readonly service: unknown;
}

export function offer<Service>(port: Port<Service>, service: Service): Offer {
  return { port, service };
}

/** A lookup among these services. A later offer for the same port replaces an earlier one. */
export function lookupAmong(offers: readonly Offer[]): ServiceLookup {
  const services = new Map(offers.map(({ port, service }) => [port, service]));
  return <Service>(port: Port<Service>): Service => {
    if (!services.has(port)) throw new Error(`This session offers no service for the port ${port.name}`);
    // `offer` is the only maker of an Offer, and its type ties the service to the port.
    return services.get(port) as Service;
  };
}
