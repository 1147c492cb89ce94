package dev.posthorn.spring.settings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses to start with a property that does not exist, before any bean is made: what is misspelt would be left out silently,
 * and nothing delivered. Spring's own check of names leaves out environment variables and system properties.
 */
final class PropertiesCheck implements BeanFactoryPostProcessor {

    private static final Logger log = LoggerFactory.getLogger(PropertiesCheck.class);

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("posthorn");

    /** Read before there is an application, by the PostgreSQL that tests bring along. */
    private static final Set<String> OTHERS = Set.of("cache", "embedded.nounshare");

    private final KnownProperties known;
    private final Environment environment;

    /** @param settings the record that everything under {@code posthorn.} is bound to */
    PropertiesCheck(Class<?> settings, Environment environment) {
        this.known = new KnownProperties(settings);
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        List<UnknownProperty> unknown = new ArrayList<>();
        Set<String> strange = new TreeSet<>();
        for (ConfigurationPropertySource each : ConfigurationPropertySources.get(environment)) {
            if (each.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables) {
                for (String name : variables.getPropertyNames()) {
                    checkVariable(name, unknown, strange);
                }
            } else if (each instanceof IterableConfigurationPropertySource properties) {
                properties.stream()
                        .filter(PREFIX::isAncestorOf)
                        .filter(name -> !known.has(parts(name)) && !OTHERS.contains(dotted(name)))
                        .filter(name -> !isEmptyGroup(name, properties))
                        .map(name -> unknown(name, properties))
                        .forEach(unknown::add);
            }
        }
        if (!unknown.isEmpty() || !strange.isEmpty()) {
            refuse(unknown, strange, OtherProperties.onClassPath(beans.getBeanClassLoader()));
        }
    }

    private static void refuse(List<UnknownProperty> unknown, Set<String> strange, OtherProperties others) {
        List<UnknownProperty> left =
                unknown.stream().filter(each -> !others.has(each.name())).toList();
        if (!left.isEmpty()) {
            throw new UnknownPropertyException(left);
        }
        strange.removeIf(others::has);
        if (!strange.isEmpty()) {
            log.warn(
                    "The environment variables {} begin as Posthorn's do and set no property of it; they are ignored."
                            + " docs/spring-boot.md lists the properties",
                    strange);
        }
    }

    /** As YAML has it that names a group and nothing in it. */
    private boolean isEmptyGroup(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        return known.below(parts(name)).isPresent()
                && (property == null || property.getValue().toString().isEmpty());
    }

    private UnknownProperty unknown(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        String origin = property == null || property.getOrigin() == null
                ? "from " + source.getUnderlyingSource()
                : property.getOrigin().toString();
        return new UnknownProperty(name.toString(), origin, meant(parts(name)));
    }

    private @Nullable String meant(List<String> name) {
        return known.below(name)
                .map(each -> property(each) + " or another one under it")
                .or(() -> known.meant(name).map(PropertiesCheck::property))
                .orElse(null);
    }

    private void checkVariable(String variable, List<UnknownProperty> unknown, Set<String> strange) {
        List<String> all = Arrays.asList(variable.toLowerCase(Locale.ROOT).split("[._]+"));
        if (all.size() < 2 || !all.get(0).equals("posthorn") || known.hasVariable(all.subList(1, all.size()))) {
            return;
        }
        List<String> name = all.subList(1, all.size());
        Optional<List<String>> almost = known.almost(name);
        if (almost.isEmpty()) {
            strange.add(variable);
            return;
        }
        String meant = property(almost.get());
        unknown.add(new UnknownProperty(
                variable,
                "an environment variable",
                meant.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT) + ", which is " + meant));
    }

    private static List<String> parts(ConfigurationPropertyName name) {
        return IntStream.range(1, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, Form.ORIGINAL))
                .toList();
    }

    private static String dotted(ConfigurationPropertyName name) {
        return Shape.uniform(String.join(".", parts(name)));
    }

    private static String property(List<String> parts) {
        return PREFIX + "." + String.join(".", parts);
    }
}
