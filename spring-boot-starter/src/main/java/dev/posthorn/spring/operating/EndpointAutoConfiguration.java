package dev.posthorn.spring.operating;

import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.relay.Relay;
import dev.posthorn.replay.Replays;
import dev.posthorn.status.Gauges;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code posthorn}, if there is an actuator and it is exposed. */
@AutoConfiguration(after = OperatingAutoConfiguration.class)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({DeadLetters.class, Replays.class, Gauges.class})
public class EndpointAutoConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    PosthornEndpoint posthornEndpoint(
            Gauges gauges, DeadLetters letters, Replays replays, ObjectProvider<Relay> relay) {
        return new PosthornEndpoint(gauges, letters, replays, relay::getIfAvailable);
    }

    @Bean
    @ConditionalOnAvailableEndpoint(endpoint = PosthornEndpoint.class)
    KnownArguments posthornKnownArguments() {
        return new KnownArguments();
    }
}
