package dev.posthorn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PostgresLeaseStoreContractTest extends LeaseStoreContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }

    /**
     * A take-over that a fail-over has undone must not have the epoch of the one that comes instead. In the model a number
     * that was once used does not come again, by its own means.
     */
    @Test
    void anEpochIsNotGuessedFromTheOneBefore() {
        long former = own("i1", subscription(s -> s)).grant.lease().epoch();
        store.advance(TTL.plusSeconds(1));
        long epoch = own("i2", subscription(s -> s)).grant.lease().epoch();
        assertThat(Math.abs(epoch - former)).isGreaterThan(1_000_000);
    }
}
