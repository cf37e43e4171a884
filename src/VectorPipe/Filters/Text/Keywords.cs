using System.Collections.Frozen;

namespace VectorPipe.Filters.Text;

/// <summary>The words of the language. An attribute of such a name is written in brackets.</summary>
internal static class Keywords
{
    public const string And = "and";
    public const string Or = "or";
    public const string Not = "not";
    public const string True = "true";
    public const string False = "false";
    public const string Exists = "exists";
    public const string Between = "between";
    public const string In = "in";
    public const string StartsWith = "starts_with";
    public const string Contains = "contains";
    public const string ContainsAny = "contains_any";
    public const string ContainsAll = "contains_all";

    /// <summary>Before the quotes of a time.</summary>
    public const string Time = "time";

    /// <summary>Before the quotes of a Guid.</summary>
    public const string Guid = "guid";

    private static readonly FrozenSet<string> _all =
        FrozenSet.Create(
            StringComparer.Ordinal, And, Or, Not, True, False, Exists, Between, In, StartsWith, Contains, ContainsAny, ContainsAll);

    public static bool Contain(string word) => _all.Contains(word);

    /// <summary>Whether a unit may start a word: a letter of any script, or an underscore.</summary>
    public static bool StartsWord(char unit) => unit == '_' || char.IsLetter(unit);

    /// <summary>Whether a unit may go on with a word.</summary>
    public static bool GoesOnWithWord(char unit) => StartsWord(unit) || char.IsAsciiDigit(unit);
}
