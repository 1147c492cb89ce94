package dev.posthorn.http.address;

import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.hc.client5.http.DnsResolver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the addresses of hosts without keeping the caller waiting, and checks them. The client's resolver answers from
 * what was checked here and asks nobody, so a name server cannot name one address to the check and another to the
 * connect.
 */
public final class HostResolver {

    /** How a name is looked up; may take its time. */
    public interface Lookup {
        InetAddress[] lookup(String host) throws UnknownHostException;
    }

    /** What was found out about a host. */
    public sealed interface Result {}

    /** All of the host's addresses, each allowed. */
    public record Known(List<InetAddress> addresses) implements Result {}

    public record Unknown(String reason) implements Result {

        @Override
        public String toString() {
            return reason;
        }
    }

    public record Refused(String reason) implements Result {

        @Override
        public String toString() {
            return reason;
        }
    }

    private record Checked(Known known, long at) {}

    static final int MOST_HOSTS = 1_000;
    static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Logger log = LoggerFactory.getLogger(HostResolver.class);

    /** A name that took as long is looked up apart from the others the next time. */
    static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Lookup lookup;
    private final AddressPolicy policy;
    private final LongSupplier nanos;
    private final Object lock = new Object();

    /** The longest unchecked first. */
    private final Map<String, Checked> checked = new LinkedHashMap<>();

    private final Map<String, List<Consumer<Result>>> waiting = new HashMap<>();

    /** The one that was found slow first is the first. */
    private final Set<String> slow = new LinkedHashSet<>();

    public HostResolver(Lookup lookup, AddressPolicy policy, LongSupplier nanos) {
        this.lookup = lookup;
        this.policy = policy;
        this.nanos = nanos;
    }

    public HostResolver(AddressPolicy policy) {
        this(InetAddress::getAllByName, policy, System::nanoTime);
    }

    /**
     * Tells what the host's addresses are: at once on this thread if they were found lately, else on another when they
     * are. Each caller is told exactly once, in the order of their calls.
     */
    public void whenKnown(String host, Consumer<Result> then) {
        String name = nameOf(host);
        Known known;
        boolean first;
        synchronized (lock) {
            known = fresh(name);
            first = known == null && join(name, then);
        }
        if (known != null) {
            then.accept(known);
        } else if (first) {
            begin(name);
        }
    }

    private @Nullable Known fresh(String name) {
        Checked last = checked.get(name);
        return last == null || nanos.getAsLong() - last.at() > FRESH_NANOS ? null : last.known();
    }

    /** Whether this is the first to wait, who begins the lookup. */
    private boolean join(String name, Consumer<Result> then) {
        List<Consumer<Result>> others = waiting.get(name);
        if (others != null) {
            others.add(then);
            return false;
        }
        waiting.put(name, new ArrayList<>(List.of(then)));
        return true;
    }

    private void begin(String name) {
        InetAddress literal = AddressLiteral.of(name);
        if (literal != null) {
            finish(name, check(name, literal));
            return;
        }
        boolean begun = false;
        try {
            threads(name).look(() -> find(name), found -> finish(name, found));
            begun = true;
        } finally {
            if (!begun) {
                finish(name, new Unknown("no thread could be started to look up " + name));
            }
        }
    }

    private LookupThreads threads(String name) {
        synchronized (lock) {
            return slow.contains(name) ? LookupThreads.FOR_SLOW_NAMES : LookupThreads.SHARED;
        }
    }

    private Result find(String name) {
        long begun = nanos.getAsLong();
        try {
            return check(name, lookup.lookup(name));
        } catch (UnknownHostException e) {
            return new Unknown("the host " + name + " is unknown");
        } catch (RuntimeException e) {
            return new Unknown("the lookup of " + name + " failed: " + e);
        } catch (Error e) {
            log.error("The lookup of {} ended with an error; whoever waited for it is told", name, e);
            return new Unknown("the lookup of " + name + " ended with an error");
        } finally {
            remember(name, nanos.getAsLong() - begun);
        }
    }

    private void remember(String name, long took) {
        synchronized (lock) {
            slow.remove(name);
            if (took >= SLOW_NANOS) {
                slow.add(name);
            }
            if (slow.size() > MOST_HOSTS) {
                slow.remove(slow.iterator().next());
            }
        }
    }

    /** A name with allowed and refused addresses is hostile or broken: the good ones do not save it. */
    private Result check(String name, InetAddress... addresses) {
        if (addresses.length == 0) {
            return new Unknown("the host " + name + " has no address");
        }
        for (InetAddress address : addresses) {
            String refusal = policy.refusal(name, address);
            if (refusal != null) {
                return new Refused(refusal);
            }
        }
        return new Known(List.of(addresses));
    }

    private void finish(String name, Result result) {
        List<Consumer<Result>> told;
        synchronized (lock) {
            keep(name, result);
            told = waiting.remove(name);
        }
        if (told != null) {
            told.forEach(each -> tell(each, name, result));
        }
    }

    /** A failure is not kept, and takes what was known before with it: nothing connects to addresses of the past. */
    private void keep(String name, Result result) {
        checked.remove(name);
        if (result instanceof Known known) {
            checked.put(name, new Checked(known, nanos.getAsLong()));
        }
        if (checked.size() > MOST_HOSTS) {
            checked.remove(checked.keySet().iterator().next());
        }
    }

    private static void tell(Consumer<Result> then, String name, Result result) {
        try {
            then.accept(result);
        } catch (RuntimeException e) {
            log.error(
                    "Could not go on after the lookup of {}; others who waited for it are told all the same", name, e);
        }
    }

    /** Answers the client from what is checked, and never asks a name server. */
    public DnsResolver dns() {
        return new DnsResolver() {
            @Override
            public InetAddress[] resolve(String host) throws UnknownHostException {
                return addresses(nameOf(host));
            }

            @Override
            public String resolveCanonicalHostname(String host) {
                return host;
            }
        };
    }

    private InetAddress[] addresses(String name) throws UnknownHostException {
        Checked last;
        synchronized (lock) {
            last = checked.get(name);
        }
        if (last == null) {
            throw new UnknownHostException("the host " + name + " has no checked address");
        }
        InetAddress[] addresses = last.known().addresses().toArray(InetAddress[]::new);
        if (check(name, addresses) instanceof Refused refused) {
            throw new UnknownHostException(refused.reason());
        }
        return addresses;
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    /** The client gives names that begin with xn-- in Unicode, and may leave the brackets of an address. */
    private static String nameOf(String host) {
        String plain = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        try {
            return (isAscii(plain) ? plain : IDN.toASCII(plain, IDN.ALLOW_UNASSIGNED)).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return plain;
        }
    }
}
