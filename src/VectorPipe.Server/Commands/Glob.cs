namespace VectorPipe.Server.Commands;

/// <summary>
/// Patterns of names: <c>*</c> any bytes, <c>?</c> one, <c>[a-c]</c> or <c>[^a-c]</c> one of them or of all others, <c>\</c> the next as
/// it is.
/// </summary>
internal static class Glob
{
    /// <summary>Whether a whole name matches. Takes time in proportion to the product of both lengths at most.</summary>
    public static bool Matches(ReadOnlySpan<char> pattern, ReadOnlySpan<char> name)
    {
        // Where to go on when what follows the last star does not match: behind one more character.
        int p = 0, n = 0, star = -1, starName = 0;
        while (n < name.Length)
        {
            if (p < pattern.Length && pattern[p] == '*')
            {
                star = p++;
                starName = n;
            }
            else if (p < pattern.Length && MatchesOne(pattern[p..], name[n], out int taken))
            {
                p += taken;
                n++;
            }
            else if (star >= 0)
            {
                p = star + 1;
                n = ++starName;
            }
            else
            {
                return false;
            }
        }

        while (p < pattern.Length && pattern[p] == '*')
            p++;
        return p == pattern.Length;
    }

    private static bool MatchesOne(ReadOnlySpan<char> pattern, char character, out int taken)
    {
        taken = 1;
        if (pattern[0] == '?')
            return true;
        if (pattern[0] == '[')
            return MatchesClass(pattern, character, out taken);
        if (pattern[0] != '\\' || pattern.Length == 1)
            return pattern[0] == character;
        taken = 2;
        return pattern[1] == character;
    }

    // A class that is not closed reaches to the end.
    private static bool MatchesClass(ReadOnlySpan<char> pattern, char character, out int taken)
    {
        int at = 1;
        bool isNot = at < pattern.Length && pattern[at] == '^';
        if (isNot)
            at++;
        bool isOne = false;
        while (at < pattern.Length && pattern[at] != ']')
        {
            if (pattern[at] == '\\' && at + 1 < pattern.Length)
                at++;
            char low = pattern[at++];
            char high = low;
            if (at + 1 < pattern.Length && pattern[at] == '-' && pattern[at + 1] != ']')
            {
                high = pattern[at + 1];
                at += 2;
            }

            if (low > high)
                (low, high) = (high, low);
            isOne |= character >= low && character <= high;
        }

        taken = Math.Min(at + 1, pattern.Length);
        return isOne != isNot;
    }
}
