package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is to be served, and what of it is yet to be followed. */
class WishesTest {

    private final Subscription a = named("a");
    private final Subscription b = named("b");
    private final Wishes wishes = new Wishes(List.of(a, b));

    private static Subscription named(String name) {
        return Subscription.to(name, RecordingSink.oneAtATime()).build();
    }

    @Test
    void whatIsTakenIsFollowedUntilItChangesAgain() {
        assertThat(wishes.takeChanged()).containsExactly("a", "b");
        assertThat(wishes.areFollowed()).isTrue();
        assertThat(wishes.takeChanged()).isEmpty();
        wishes.replace(List.of(a));
        assertThat(wishes.areFollowed()).isFalse();
        assertThat(wishes.takeChanged()).contains("b");
        assertThat(wishes.all()).containsExactly(a);
    }

    @Test
    void aChangeOfSomeConcernsNoOthers() {
        wishes.takeChanged();
        Subscription other = named("b");
        Subscription begun = named("c");
        wishes.replace(List.of("b", "gone"), List.of(other, begun));
        assertThat(wishes.takeChanged()).containsExactlyInAnyOrder("b", "c", "gone");
        assertThat(wishes.of("b")).isSameAs(other);
        assertThat(wishes.of("gone")).isNull();
        assertThat(wishes.all()).containsExactly(a, other, begun);
    }
}
