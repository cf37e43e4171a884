using System.Reflection;
using CommandLine;

namespace VectorPipe.Measuring;

/// <summary>A verb with its options, as its arguments declare them: what help and completion are made of.</summary>
/// <param name="Values">Values without a name, in their order.</param>
/// <param name="Options">Its own options, then those that verbs share.</param>
internal sealed record CommandVerb(
    string Name, string Help, IReadOnlyList<CommandOption> Values, IReadOnlyList<CommandOption> Options)
{
    /// <param name="arguments">A class with a verb attribute.</param>
    public static CommandVerb Of(Type arguments)
    {
        VerbAttribute verb = arguments.GetCustomAttribute<VerbAttribute>()!;
        List<(ValueAttribute Value, CommandOption Option)> values = [];
        List<CommandOption> options = [];
        foreach (PropertyInfo property in arguments.GetProperties())
        {
            if (property.GetCustomAttribute<ValueAttribute>() is { } value)
                values.Add((value, CommandOption.Of(value)));
            if (property.GetCustomAttribute<OptionAttribute>() is { } option)
                options.Add(CommandOption.Of(option, property.PropertyType));
        }

        return new CommandVerb(
            verb.Name, verb.HelpText, [.. values.OrderBy(value => value.Value.Index).Select(value => value.Option)], options);
    }
}
