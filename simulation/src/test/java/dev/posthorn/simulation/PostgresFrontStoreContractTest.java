package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PostgresFrontStoreContractTest extends FrontStoreContract {

    private static final Duration UNLESS_IT_HANGS = Duration.ofMinutes(1);

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }

    private PostgresFixture postgres() {
        return (PostgresFixture) store;
    }

    /** Its former owner may stand still in the middle of it. The model has no statements that are under way. */
    @Test
    void aFrontThatIsBeingMovedIsNotWaitedFor() {
        Ridden front = ridden("dead", 2);
        int move = store.begin();
        postgres().lockFronts(move);
        store.advance(TTL.plusSeconds(1));
        assertThat(CompletableFuture.supplyAsync(() -> ownAll("heir", TWO_LANES, 2)))
                .succeedsWithin(UNLESS_IT_HANGS)
                .as("nothing of it")
                .isEqualTo(List.of());
        store.rollback(move);
        assertThat(front.moveTo(tail()).done()).as("not ended yet").isTrue();
        Owned taken = own("heir", TWO_LANES);
        assertThat(taken.stored.mark()).isEqualTo(front.at);
        assertThat(front.moveTo(tail()).done()).isFalse();
    }

    /** The model forgets no front. */
    @Test
    void aFrontIsForgottenOnceNobodyRefersToIt() {
        Ridden former = ridden("i1", 1);
        former.end();
        Ridden next = ridden("i2", 1);
        assertThat(postgres().frontRows()).isEqualTo(2);
        former.riders.get(0).lane.begin();
        next.fronts.end(List.of(next.id));
        ridden("i3", 0);
        assertThat(postgres().frontRows())
                .as("one that somebody rides on, though it has ended, and the new one")
                .isEqualTo(2);
    }
}
