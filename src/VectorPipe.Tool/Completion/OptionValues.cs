using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Completion;

/// <summary>The values of options that have names as values.</summary>
internal static class OptionValues
{
    private static readonly Dictionary<string, IReadOnlyList<string>> _names =
        Choices.All.Concat(CollectionChoices.All).ToDictionary(choice => choice.Option, choice => choice.Names);

    /// <summary>The options that the verbs have and whose values are names, with these.</summary>
    public static IEnumerable<(string Option, IReadOnlyList<string> Names)> Of(IEnumerable<CommandVerb> verbs) =>
        verbs.SelectMany(verb => verb.Options).Select(option => option.Name).Distinct().Where(_names.ContainsKey)
            .Select(name => (name, _names[name]));
}
