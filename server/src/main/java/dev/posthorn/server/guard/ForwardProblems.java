package dev.posthorn.server.guard;

import dev.posthorn.event.Event;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.List;

/** What a guard says over REST when it has nothing good to say. */
final class ForwardProblems {

    private static final Duration SOON = Duration.ofSeconds(1);

    private ForwardProblems() {}

    /** Of anything but an event that was forwarded. */
    static Problem of(String guard, Event event, Verdict verdict) {
        String what = "event '" + event.givenId() + "' ";
        if (verdict instanceof Verdict.Refused refused) {
            String when = refused.duplicate()
                    ? "was refused before by the target of guard '"
                    : "was refused by the target of guard '";
            return Problem.of(
                    ProblemType.REFUSED,
                    what + when + guard + "': " + refused.reason()
                            + "; it is not forwarded again unless an operator decides so");
        }
        if (verdict instanceof Verdict.InDoubt doubt) {
            return Problem.of(
                    ProblemType.IN_DOUBT,
                    what + "may have reached the target of guard '" + guard + "' or not: " + doubt.reason()
                            + "; it is not forwarded again until an operator has decided: POST /v1/guards/" + guard
                            + "/forwards/" + event.id() + "/decision");
        }
        if (verdict instanceof Verdict.NotForwarded not) {
            return notForwarded(what, not.failure());
        }
        if (verdict instanceof Verdict.Abandoned abandoned) {
            return Problem.of(ProblemType.CONFLICT, what + "was abandoned by an operator: " + abandoned.reason());
        }
        return verdict instanceof Verdict.UnderWay
                ? underWay(what)
                : Problem.violated(
                        ProblemType.CONFLICT,
                        Violation.of(
                                "id",
                                "'" + event.givenId() + "' came to guard '" + guard
                                        + "' before with another content; give an"
                                        + " event that is new an id of its own"));
    }

    private static Problem underWay(String what) {
        return new Problem(
                ProblemType.CONFLICT,
                what + "is being forwarded at this moment; ask again in a moment what became of it",
                List.of(),
                SOON);
    }

    private static Problem notForwarded(String what, Outcome.Failure failure) {
        if (failure instanceof Outcome.Reject reject) {
            return Problem.of(ProblemType.INVALID_EVENT, what + "cannot be forwarded: " + reject.reason());
        }
        Duration after = failure instanceof Outcome.Retry retry && retry.after() != null ? retry.after() : SOON;
        return Problem.unavailable(
                what + "was not forwarded, and the target has not acted on it: " + failure.reason()
                        + "; send it again later",
                after);
    }

    static Problem noResultYet(Event event) {
        return underWay("event '" + event.givenId() + "' ");
    }

    static ProblemException unknown(String guard, String id) {
        return Problem.of(
                        ProblemType.NOT_FOUND,
                        "no event '" + id + "' has come to guard '" + guard + "', or it was long ago; GET /v1/guards/"
                                + guard + "/forwards lists them")
                .asException();
    }

    static ProblemException ambiguous(String id) {
        return Problem.of(
                        ProblemType.CONFLICT,
                        "several sources have used the id '" + id + "'; say which one with ?source=")
                .asException();
    }

    static ProblemException notToBeDecided(String guard, Forward forward, Decision decision) {
        return Problem.of(
                        ProblemType.CONFLICT,
                        "event " + forward.eventId() + " at guard '" + guard + "' is " + forward.state() + "; "
                                + (decision == Decision.REPEAT
                                        ? "only what is IN_DOUBT or REFUSED can be repeated"
                                        : "only what is IN_DOUBT can be decided so"))
                .asException();
    }
}
