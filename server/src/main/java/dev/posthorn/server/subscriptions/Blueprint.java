package dev.posthorn.server.subscriptions;

import dev.posthorn.server.documents.DocumentSecrets;
import dev.posthorn.server.masking.Masker;
import dev.posthorn.server.masking.MaskingSink;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import dev.posthorn.server.subscriptions.definition.SubscriptionFactory;
import dev.posthorn.subscription.Subscription;
import org.springframework.stereotype.Component;

/** Makes what is stored whole again, with its secrets, and what is served of it. */
@Component
final class Blueprint {

    private final DocumentSecrets secrets;
    private final SubscriptionFactory factory;
    private final Masker masker;

    Blueprint(DocumentSecrets subscriptionSecrets, SubscriptionFactory factory, Masker masker) {
        this.secrets = subscriptionSecrets;
        this.factory = factory;
        this.masker = masker;
    }

    /** A new one each time: what could not be read, decrypted or built is told by what is thrown. */
    Subscription subscription(SubscriptionRow row) {
        SubscriptionDocument document = secrets.whole(row.stored(), SubscriptionDocument.class);
        return factory.subscription(row.name(), document, sink -> new MaskingSink(sink, masker))
                .at(row.revision());
    }
}
