//! Sentences in other languages: nothing is done, and that is said in the language they are in.

/// A language, words that only it has, and "I understand English only" in it.
struct Language {
    words: &'static [&'static str],
    says: &'static str,
}

const LANGUAGES: &[Language] = &[
    Language {
        words: &[
            "füge",
            "lösche",
            "ändere",
            "hinzu",
            "seite",
            "und",
            "bitte",
            "mach",
            "mache",
            "eine",
            "einen",
            "der",
            "die",
            "das",
            "überschrift",
            "hallo",
            "erstelle",
            "entferne",
            "ist",
            "nicht",
            "ich",
        ],
        says: "Die eingebauten Befehle verstehen nur Englisch.",
    },
    Language {
        words: &[
            "ajoute",
            "ajouter",
            "supprime",
            "supprimer",
            "une",
            "la",
            "le",
            "les",
            "s'il",
            "plaît",
            "bonjour",
            "change",
            "titre",
            "crée",
            "modifier",
            "avec",
            "pour",
        ],
        says: "Les commandes intégrées ne comprennent que l'anglais.",
    },
    Language {
        words: &[
            "agrega", "añade", "borra", "elimina", "una", "página", "todo", "cambia", "hola",
            "por", "favor", "crea", "título", "precios",
        ],
        says: "Los comandos integrados solo entienden inglés.",
    },
    Language {
        words: &[
            "aggiungi", "elimina", "cancella", "una", "alla", "galleria", "pagina", "ciao",
            "cambia", "titolo", "crea",
        ],
        says: "I comandi integrati capiscono solo l'inglese.",
    },
    Language {
        words: &[
            "dodaj",
            "stronę",
            "usuń",
            "zmień",
            "nagłówek",
            "proszę",
            "strona",
        ],
        says: "Wbudowane polecenia rozumieją tylko angielski.",
    },
    Language {
        words: &[
            "voeg",
            "een",
            "pagina",
            "toe",
            "verwijder",
            "wijzig",
            "het",
            "maak",
            "alsjeblieft",
        ],
        says: "De ingebouwde opdrachten begrijpen alleen Engels.",
    },
    Language {
        words: &[
            "adicione",
            "adicionar",
            "remova",
            "um",
            "botão",
            "vermelho",
            "página",
            "altere",
            "uma",
            "olá",
            "apague",
        ],
        says: "Os comandos integrados só entendem inglês.",
    },
    Language {
        words: &[
            "tilføj", "lägg", "ta", "bort", "sida", "side", "slet", "och",
        ],
        says: "De inbyggda kommandona förstår bara engelska.",
    },
];

/// "I understand English only" by the script that most letters are of.
const SCRIPTS: &[(u32, u32, &str)] = &[
    (0x3040, 0x30ff, "組み込みコマンドは英語だけを理解します。"),
    (0xac00, 0xd7af, "내장 명령은 영어만 이해합니다."),
    (0x4e00, 0x9fff, "内置命令只能理解英语。"),
    (
        0x0400,
        0x04ff,
        "Встроенные команды понимают только английский.",
    ),
    (0x0600, 0x06ff, "الأوامر المدمجة تفهم الإنجليزية فقط."),
    (0x0590, 0x05ff, "הפקודות המובנות מבינות אנגלית בלבד."),
    (0x0900, 0x097f, "अंतर्निहित आदेश केवल अंग्रेज़ी समझते हैं।"),
    (
        0x0370,
        0x03ff,
        "Οι ενσωματωμένες εντολές καταλαβαίνουν μόνο αγγλικά.",
    ),
    (0x0e00, 0x0e7f, "คำสั่งในตัวเข้าใจเฉพาะภาษาอังกฤษ"),
];

/// Words of English that orders have; one of them makes a sentence English, whatever names stand in it.
const ENGLISH: &[&str] = &[
    "add", "the", "change", "rename", "new", "page", "to", "set", "make", "remove", "delete",
    "put", "with", "called", "a", "an", "of", "heading", "button", "is", "please", "on", "menu",
];

/// What to say when a sentence is in another language; nothing when it is English.
pub(crate) fn not_english(sentence: &str) -> Option<&'static str> {
    let outside = outside_quotes(sentence);
    let words: Vec<String> = outside
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let english = words
        .iter()
        .filter(|word| ENGLISH.contains(&word.as_str()))
        .count();
    let letters = outside.chars().filter(|c| c.is_alphabetic()).count();
    for (from, to, says) in SCRIPTS {
        let of_script = outside
            .chars()
            .filter(|c| (*from..=*to).contains(&u32::from(*c)))
            .count();
        if of_script * 2 > letters && english == 0 {
            return Some(says);
        }
    }
    let count = |language: &Language| {
        words
            .iter()
            .filter(|word| language.words.contains(&word.as_str()))
            .count()
    };
    let best = LANGUAGES.iter().max_by_key(|language| count(language))?;
    let own = count(best);
    let needed = if words.len() <= 2 { 1 } else { 2 };
    let is_other = own >= needed && own > english || own >= 1 && words.len() <= 2 && english == 0;
    // Words that English has as well do not count alone.
    let is_shared = words.iter().all(|word| {
        !best.words.contains(&word.as_str())
            || matches!(
                word.as_str(),
                "change" | "ta" | "das" | "die" | "um" | "toe" | "bort" | "side"
            )
    });
    (is_other && !is_shared).then_some(best.says)
}

fn outside_quotes(sentence: &str) -> String {
    let mut outside = String::new();
    let mut closer: Option<char> = None;
    for c in sentence.chars() {
        match (closer, c) {
            (Some(close), c) if c == close => closer = None,
            (Some(_), _) => {}
            (None, '"') => closer = Some('"'),
            (None, '“') => closer = Some('”'),
            (None, '„') => closer = Some('“'),
            (None, '«') => closer = Some('»'),
            (None, '\'') if outside.ends_with(' ') => closer = Some('\''),
            (None, c) => outside.push(c),
        }
    }
    outside
}
