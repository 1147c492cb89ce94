package dev.posthorn.server.access;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Lets calls in or turns them away, by REST and gRPC alike. */
@Component
public class Gate {

    private final Keys keys;
    private final RateLimiter limiter;

    Gate(Keys keys, RateLimiter limiter) {
        this.keys = keys;
        this.limiter = limiter;
    }

    /** Who calls, if one of these roles has it; a problem otherwise. */
    public Caller admit(Call call, Role... allowed) {
        Caller caller = identify(call);
        limiter.take(caller.equals(Caller.LOCAL) ? address(call) : "key " + caller.name());
        if (caller.role() != Role.ADMIN && !Arrays.asList(allowed).contains(caller.role())) {
            throw forbidden(caller, allowed);
        }
        return caller;
    }

    /** Throws the problem if a call that was let in as this caller would not be any more. */
    public void checkAgain(Call call, Caller admitted) {
        if (!admitted.equals(known(call))) {
            throw refused(call);
        }
    }

    /** Runs it after every change of the keys. */
    public void onChange(Runnable listener) {
        keys.onChange(listener);
    }

    /** Whether there are keys, so that every call needs one. */
    public boolean needsKeys() {
        return keys.areInForce();
    }

    private @Nullable Caller known(Call call) {
        if (call.key() != null) {
            return keys.owner(call.key());
        }
        return keys.areComplete() && !keys.areInForce() && call.isLocal() ? Caller.LOCAL : null;
    }

    private Caller identify(Call call) {
        Caller known = known(call);
        if (known != null) {
            return known;
        }
        // Whoever has no key may not ask as often as it likes either.
        limiter.take(address(call));
        throw refused(call);
    }

    private ProblemException refused(Call call) {
        if (!keys.areComplete() && (call.key() != null || !keys.areInForce())) {
            return Problem.unavailable(
                            "the hub waits for its database, where the API keys are; try again in a moment",
                            Duration.ofSeconds(1))
                    .asException();
        }
        return Problem.of(ProblemType.NO_KEY, reason(call)).asException();
    }

    private String reason(Call call) {
        if (call.key() != null) {
            return "this API key is unknown or revoked";
        }
        return keys.areInForce()
                ? "send an API key as 'Authorization: Bearer <key>'"
                : "without an API key the hub answers only to this machine itself, neither to a proxy nor to a web page"
                        + " from elsewhere; create a key (POST /v1/keys) and send it as 'Authorization: Bearer <key>'";
    }

    private static ProblemException forbidden(Caller caller, Role... allowed) {
        String who = Arrays.stream(allowed)
                .filter(each -> each != Role.ADMIN)
                .map(each -> each + ", ")
                .collect(Collectors.joining());
        return Problem.of(
                        ProblemType.FORBIDDEN,
                        "the API key '" + caller.name() + "' has the role " + caller.role() + "; this may: " + who
                                + Role.ADMIN)
                .asException();
    }

    private static String address(Call call) {
        return "address " + call.address().getHostAddress();
    }
}
