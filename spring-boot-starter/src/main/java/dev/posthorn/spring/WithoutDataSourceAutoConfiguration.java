package dev.posthorn.spring;

import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** An application with nothing to record in, as one that uses R2DBC alone: an event that it publishes is not lost silently. */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnMissingBean({DataSource.class, AnnotatedEventListener.class})
public final class WithoutDataSourceAutoConfiguration {

    WithoutDataSourceAutoConfiguration() {}

    @Bean
    AnnotatedEventListener posthornAnnotatedEventListener(ObjectProvider<Outbox> outbox) {
        return new AnnotatedEventListener(outbox);
    }
}
