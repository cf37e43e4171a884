using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Commands;

namespace VectorPipe.Tool.Completion;

/// <summary>Names that may follow a word.</summary>
internal static class OptionValues
{
    private static readonly Dictionary<string, IReadOnlyList<string>> _names =
        Choices.All.Concat(CollectionChoices.All).ToDictionary(choice => choice.Option, choice => choice.Names);

    /// <summary>The options that the verbs have and whose values are names, and the verb that takes a name, with these names.</summary>
    public static IEnumerable<(string Word, IReadOnlyList<string> Names)> Of(IEnumerable<CommandVerb> verbs) =>
        verbs.SelectMany(verb => verb.Options).Select(option => option.Name).Distinct().Where(_names.ContainsKey)
            .Select(name => (name, _names[name])).Append((CompletionCommand.Verb, CompletionCommand.Shells));
}
