package dev.posthorn.spring.relay;

import dev.posthorn.subscription.Subscription;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/** Somebody whose subscriptions the relay of this application serves besides those of the application itself. */
public interface SubscriptionSource extends SmartLifecycle {

    List<Subscription> subscriptions();

    /** After the relay, and stopped before it. */
    @Override
    default int getPhase() {
        return RelayRunner.PHASE + 512;
    }
}
