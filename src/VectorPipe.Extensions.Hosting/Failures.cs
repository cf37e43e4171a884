using System.Globalization;
using Microsoft.Extensions.Options;

namespace VectorPipe.Extensions.Hosting;

/// <summary>What is wrong in settings: each failure names the setting, what was expected and what was found.</summary>
/// <param name="subject">Whose settings they are.</param>
internal sealed class Failures(string subject)
{
    private readonly List<string> _failures = [];

    /// <summary>What validation says.</summary>
    public ValidateOptionsResult Result =>
        _failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(_failures);

    /// <summary>Adds a failure unless a setting is valid.</summary>
    public void Require(bool isValid, string setting, string expected, object? found)
    {
        if (isValid)
            return;
        string failure = string.Create(
            CultureInfo.InvariantCulture, $"{subject}, {setting}: expected {expected}, found {found ?? "none"}.");
        _failures.Add(failure);
    }

    /// <summary>Adds a failure unless a setting has one of the values of its type: a number in configuration may be none.</summary>
    public void RequireDefined<T>(T value, string setting)
        where T : struct, Enum => Require(Enum.IsDefined(value), setting, string.Join(", ", Enum.GetNames<T>()), value);
}
