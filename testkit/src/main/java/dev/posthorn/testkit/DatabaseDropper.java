package dev.posthorn.testkit;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Drops the databases of a test class when it is over: with one per test, hundreds would fill the memory that the servers have
 * their files in. For modules whose test classes run one after another and share no database; these switch the extension on by
 * {@code junit.jupiter.extensions.autodetection.enabled}.
 */
public final class DatabaseDropper implements AfterAllCallback {

    @Override
    public void afterAll(ExtensionContext context) {
        if (!context.getRequiredTestClass().isAnnotationPresent(Nested.class)) {
            FreshDatabase.dropAll();
        }
    }
}
